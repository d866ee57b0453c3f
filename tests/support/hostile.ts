// Texts, numbers and shapes that have broken other services.

/** Texts that a store, a shell, a template, a page or a path could read as code. */
export const injections: readonly string[] = [
  "'",
  '"',
  '\\',
  "' OR '1'='1",
  "' OR 1=1 --",
  "'; DROP TABLE projects; --",
  '1; DELETE FROM events WHERE 1=1',
  "') UNION SELECT hash FROM api_keys --",
  "\\' OR 1=1 #",
  "' AND pg_sleep(5) --",
  "' AND sleepEachRow(3) AND '",
  "' UNION ALL SELECT * FROM file('control.sqlite', 'RawBLOB') --",
  "x', url('http://127.0.0.1:9/', 'CSV'), 'y",
  '{project:String}',
  '{x:Identifier}',
  '$1',
  '?',
  ':id',
  '%',
  '_',
  '*',
  '/* */',
  '-- ',
  '`id`',
  '$(id)',
  '| id',
  '=HYPERLINK("http://127.0.0.1")',
  '#{7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '../../../../etc/passwd',
  '..\\..\\control.sqlite',
  'file:///etc/passwd',
  '\r\nX-Injected: 1',
  '(?:a+)+$',
  'SETTINGS max_memory_usage=1',
  'FORMAT Null',
];

/** Texts that are hard to store, to order or to encode. */
export const awkwardTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'nul\0inside',
  '\ud800',
  'lone\udfffsurrogate',
  '\ufeff',
  '\u202etxt.exe',
  '\u2028\u2029',
  '\ufffe\uffff',
  '😀',
  'ﬁ',
  'İ',
  'ς',
  'e\u0301',
  'Z͑ͫ̓a̴l̶g̀o',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '\\N',
  '\\x00',
  '\t\n\r\v\f',
  'null',
  'undefined',
  'NaN',
  'true',
  '-0',
  '1e400',
  '0x10',
  '9007199254740993',
  'a'.repeat(1_025),
  '😀'.repeat(1_024),
];

/** Numbers as JSON text that doubles or 32- or 64-bit integers can't hold, or hold in odd ways. */
export const awkwardNumbers: readonly string[] = [
  '-0',
  '0.1',
  '-1',
  '1e400',
  '-1e400',
  '1e-400',
  '5e-324',
  '1.7976931348623157e308',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  '340282366920938463463374607431768211456',
  '0.30000000000000000000000000000004',
  `1${'0'.repeat(400)}`,
  '1E5',
  '1.0',
];

/** Bytes that are not UTF-8. */
export const invalidUtf8: readonly Uint8Array<ArrayBuffer>[] = [
  [0xff],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
].map((bytes) => Uint8Array.from(bytes));

/** JSON text of nested arrays or objects, too deep for recursion. */
export const deepJson = (depth: number): string => `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`;

/**
 * JSON text that `writeJson` copies unchanged, for what no JavaScript value can express: a number with too many digits, or an
 * object with a duplicate key.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of a value, with every `JsonText` copied unchanged. `__proto__` is a key like any other. */
export function writeJson(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${writeJson(field)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
