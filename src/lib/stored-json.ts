import { randomUUID } from 'node:crypto';

/** JSON text that is answered as it is stored, byte for byte: it is never parsed and written again. */
export class StoredJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of a value in which every `StoredJson` stands as its text. */
export function stringifyWithStored(value: unknown): string {
  const texts: string[] = [];
  // Nothing that was stored can hold this mark, for it is new.
  const mark = randomUUID();
  const json = JSON.stringify(value, (_key, part: unknown) =>
    part instanceof StoredJson ? `${mark} ${texts.push(part.text) - 1}` : part,
  );
  return json.replaceAll(new RegExp(`"${mark} (\\d+)"`, 'g'), (_match, index: string) => texts[Number(index)] ?? '');
}
