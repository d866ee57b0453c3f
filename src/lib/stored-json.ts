import { randomUUID } from 'node:crypto';

/** JSON text that is sent byte for byte as it is stored, without parsing it. */
export class StoredJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of a value, with the text of every `StoredJson` in its place. */
export function stringifyWithStored(value: unknown): string {
  const texts: string[] = [];
  // The mark is random, so no stored text contains it.
  const mark = randomUUID();
  const json = JSON.stringify(value, (_key, part: unknown) =>
    part instanceof StoredJson ? `${mark} ${texts.push(part.text) - 1}` : part,
  );
  return json.replaceAll(new RegExp(`"${mark} (\\d+)"`, 'g'), (_match, index: string) => texts[Number(index)] ?? '');
}

/** The JSON of a value on one line. Stored JSON has line breaks only between tokens, so removing them loses nothing. */
export function toJsonLine(value: unknown): string {
  if (value instanceof StoredJson) return value.text.replaceAll(/[\r\n]+/g, '');
  return holdsStored(value) ? stringifyWithStored(value).replaceAll(/[\r\n]+/g, '') : JSON.stringify(value);
}

/** Whether a row has a field of stored JSON. */
const holdsStored = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).some((part) => part instanceof StoredJson);
