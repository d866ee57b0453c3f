import type { Reading } from '../../key-metrics/readings.ts';

/** An expression with its values. */
export interface Expression {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What `selectValue` gives for an event whose value only its text can tell. */
export const oddValue = '?';

/** A number that a decimal of 20 digits before and after the point holds exactly, and that needs no more to be read. */
export const plainNumber = '^-?[0-9]{1,20}([.][0-9]{1,20})?$';

/** ASCII but for what JSON escapes or puts between two strings, so that a key is its own spelling and can't be mistaken; no array index. */
const plainToken = /^(?!\d+$)[ !#-+\-.0-9;-[\]-~]+$/;

/** Spellings of ASCII characters as \uXXXX: a key may be spelt so. */
const escapedAscii = String.raw`\\u00[2-7]`;
const space = '[ \\t\\n\\r]*';
const notNumber = '["tfn{\\[]';
const anyNumber = '[-0-9][-+0-9.eE]*';

/** What stands behind a key: for a sum a number, or the first character of anything else; for `unique` any scalar. */
const values: Readonly<Record<'sum' | 'unique', string>> = {
  sum: `${anyNumber}|${notNumber}`,
  unique: `"[^"\\\\]*"|${anyNumber}|true|false|null`,
};

/**
 * The value of an event for a reading, as text: a plain number, a string in its quotes, `true` or `false`; `''` when it
 * feeds nothing, and `oddValue` when that can't be told here for certain.
 *
 * ClickHouse's JSON functions round numbers and take the first of equal keys, so they only say where a value is. What it is
 * comes from the text behind its key, and that only if every key of the path stands in the text exactly once and none can
 * be spelt otherwise. Numbers that are long or have an exponent, strings with escapes, objects and arrays are odd too.
 *
 * `number` tells the parameters of several readings apart.
 */
export function selectValue({ aggregation, path }: Reading, number: number): Expression {
  if (aggregation === 'count') return { sql: "'1'", parameters: {} };
  const last = path.at(-1);
  if (last === undefined || new Set(path).size < path.length || !path.every((token) => plainToken.test(token))) {
    return { sql: `'${oddValue}'`, parameters: {} };
  }
  const parameters: Record<string, unknown> = {
    escaped_ascii: escapedAscii,
    plain_number: plainNumber,
    [`behind_${number}`]: `${keyPattern(last)}(${values[aggregation]})`,
  };
  const counts: string[] = [];
  const steps: string[] = [];
  path.forEach((token, step) => {
    parameters[`key_${number}_${step}`] = keyPattern(token);
    parameters[`token_${number}_${step}`] = token;
    counts.push(`countMatches(text, {key_${number}_${step}:String})`);
    steps.push(`{token_${number}_${step}:String}`);
  });
  const raw = `extract(text, {behind_${number}:String})`;
  return {
    sql: `multiIf(
      match(text, {escaped_ascii:String}), '${oddValue}',
      ${counts.map((count) => `${count} = 0`).join(' OR ')}, '',
      ${counts.map((count) => `${count} > 1`).join(' OR ')} OR NOT JSONHas(text, ${steps.join(', ')}), '${oddValue}',
      match(${raw}, {plain_number:String}), ${raw},
      ${
        aggregation === 'sum'
          ? `match(${raw}, '^[-0-9]'), '${oddValue}', ''`
          : `${raw} = 'null', '', startsWith(${raw}, '"') OR ${raw} IN ('true', 'false'), ${raw}, '${oddValue}'`
      })`,
    parameters,
  };
}

/** A key with its colon, as a regular expression. */
const keyPattern = (token: string): string => `"${token.replaceAll(/[^A-Za-z0-9_]/g, '\\$&')}"${space}:${space}`;
