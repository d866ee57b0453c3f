import type { Reading } from '../../accounts/key-metrics/readings.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { Parameter } from '../../storage/analytic/row-reader.ts';

/**
 * The kinds of values of `selectValue`, which returns a kind followed by the text of the value:
 *
 * - `plain` is a number that fits a decimal with 20 digits before and 20 after the point.
 * - `number` is any other number, which is long or has an exponent.
 * - `word` is a quoted string, `true` or `false`.
 * - `odd` means that the value must be read from the event's whole text.
 *
 * An empty result means that the event does not feed the reading.
 */
export const valueKinds = { plain: 'p', number: 'n', word: 'w', odd: '?' } as const;

const plainNumber = '^-?[0-9]{1,20}([.][0-9]{1,20})?$';

/** Keys with one spelling, that JSON never writes between two strings; no array indexes. */
const plainToken = /^(?!\d+$)[ !#-+\-.0-9;-[\]-~]+$/;

/** ASCII characters escaped as \uXXXX, which keys can contain. */
const escapedAscii = String.raw`\\u00[2-7]`;
const space = '[ \\t\\n\\r]*';
const notNumber = '["tfn{\\[]';
const anyNumber = '[-0-9][-+0-9.eE]*';

/** The value after a key: for `sum` a number or the first character of anything else, for `unique` any scalar. */
const values: Readonly<Record<'sum' | 'unique', string>> = {
  sum: `${anyNumber}|${notNumber}`,
  unique: `"[^"\\\\]*"|${anyNumber}|true|false|null`,
};

/**
 * SQL for the value of an event for a reading (see `valueKinds`). `number` keeps the parameters of readings apart.
 *
 * ClickHouse's JSON functions round numbers and take the first of equal keys, so they only show that a value exists.
 * The value is read from the text after its key. For this, every key of the path must have one spelling and be in the
 * text exactly once. An event that lacks one of the keys feeds nothing. All other events are odd. For `unique`, strings
 * with escapes, objects and arrays are odd too.
 */
export function selectValue({ aggregation, path }: Reading, number: number): Clause {
  const odd = `'${valueKinds.odd}'`;
  if (aggregation === 'count') return { sql: `'${valueKinds.word}'`, parameters: {} };
  const last = path.at(-1);
  if (last === undefined || new Set(path).size < path.length || !path.every((token) => plainToken.test(token))) {
    return { sql: odd, parameters: {} };
  }
  const parameters: Record<string, Parameter> = {
    escaped_ascii: escapedAscii,
    plain_number: plainNumber,
    [`behind_${number}`]: `${keyPattern(last)}(${values[aggregation]})`,
  };
  const names = path.map((token, step) => {
    parameters[`token_${number}_${step}`] = token;
    parameters[`quoted_${number}_${step}`] = `"${token}"`;
    parameters[`key_${number}_${step}`] = keyPattern(token);
    return `${number}_${step}`;
  });
  const every = (condition: (name: string) => string, by = ' AND ') => names.map(condition).join(by);
  const raw = `extract(text, {behind_${number}:String})`;
  const isNumber = `match(${raw}, '^[-0-9]')`;
  return {
    sql: `multiIf(
      position(text, '\\\\u00') > 0 AND match(text, {escaped_ascii:String}), ${odd},
      ${every((name) => `countSubstrings(text, {quoted_${name}:String}) = 0`, ' OR ')}, '',
      NOT (${every((name) => `countSubstrings(text, {quoted_${name}:String}) = 1`)})
        AND NOT (${every((name) => `countMatches(text, {key_${name}:String}) = 1`)}), ${odd},
      NOT JSONHas(text, ${every((name) => `{token_${name}:String}`, ', ')}), ${odd},
      match(${raw}, {plain_number:String}), concat('${valueKinds.plain}', ${raw}),
      ${isNumber}, concat('${valueKinds.number}', ${raw}),
      ${aggregation === 'sum' ? "''" : `${raw} = 'null', '', ${raw} = '', ${odd}, concat('${valueKinds.word}', ${raw})`})`,
    parameters,
  };
}

/** A key with its colon, as a regular expression. */
const keyPattern = (token: string): string => `"${token.replaceAll(/[^A-Za-z0-9_]/g, '\\$&')}"${space}:${space}`;
