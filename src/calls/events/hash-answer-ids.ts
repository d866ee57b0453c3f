import { shortHash } from '../../lib/short-hash.ts';

/** Longer texts are no ids. */
const maxLength = 1_024;

/** Texts that stand where an id is missing. */
const noId = /^(?:null|none|undefined|unknown|n\/a|0+|[\s-]*)$/i;

/** What LiteLLM makes of the id of a response, in base64: the provider's id is at its end. */
const wrapped = /^resp_([\w+/-]{40,}={0,2})$/;
const wrappedId = /response_id:([\w-]{8,})/;

/** Hashes of the ids that name the answer of a provider: an id itself may be anything. What is no id is left out. */
export function hashAnswerIds(ids: readonly unknown[]): string[] {
  const found = new Set<string>();
  for (const id of ids) {
    if (typeof id !== 'string' || id.length > maxLength || noId.test(id)) continue;
    found.add(shortHash(id));
    const [, text] = wrapped.exec(id) ?? [];
    const [, inner] = wrappedId.exec(text === undefined ? '' : Buffer.from(text, 'base64').toString('latin1')) ?? [];
    if (inner !== undefined) found.add(shortHash(inner));
  }
  return [...found];
}
