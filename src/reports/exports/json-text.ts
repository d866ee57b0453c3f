import { StoredJson, stringifyWithStored } from '../../lib/stored-json.ts';

/** The JSON of a value on one line. Stored JSON has line breaks only between tokens, so removing them loses nothing. */
export function toJsonLine(value: unknown): string {
  if (value instanceof StoredJson) return value.text.replaceAll(/[\r\n]+/g, '');
  return holdsStored(value) ? stringifyWithStored(value).replaceAll(/[\r\n]+/g, '') : JSON.stringify(value);
}

/** Whether a row has a field of stored JSON. */
const holdsStored = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).some((part) => part instanceof StoredJson);
