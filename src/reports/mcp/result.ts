import type { CallToolResult } from '@modelcontextprotocol/server';
import { parseJson } from '../../lib/json.ts';
import { cutToFit } from './cut.ts';

/** The most bytes of a result as JSON. The protocol adds about 300, so the whole answer stays within 20 KB. */
const maxBytes = 19_500;

/** What a result says besides the answer of the route. */
export interface Told {
  /** How to get the parts that are left out. */
  readonly more?: string;
  readonly units?: Readonly<Record<string, string>>;
  /** The time up to which the answer has all acknowledged events. */
  readonly as_of?: string;
  readonly link?: string;
}

/** The size of a result, in bytes as JSON. */
export const bytesOf = (result: CallToolResult): number => Buffer.byteLength(JSON.stringify(result));

export const fits = (result: CallToolResult): boolean => bytesOf(result) <= maxBytes;

/** How many of `count` rows probably fit, at least one and fewer than `count`. */
export const fewerRows = (count: number, bytes: number): number =>
  Math.max(1, Math.min(count - 1, Math.floor((count * maxBytes * 0.9) / bytes)));

/**
 * A result with the unchanged answer of a route. It is only text; repeating it as `structuredContent` doubles its size.
 */
export const toResult = (told: Told, json: string): CallToolResult =>
  toText(`${JSON.stringify(told).slice(0, -1)}${Object.keys(told).length > 0 ? ',' : ''}"answer":${json}}`);

const toText = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** A result with shorter lists and texts. If even those don't fit, it has no answer. */
export function toCutResult(told: Told, json: string, smaller: string): CallToolResult {
  const cutTold = {
    ...told,
    more: `Lists and texts are cut, as an answer has at most 20 KB. ${smaller}`.trim(),
  };
  let result = toResult({ ...cutTold, more: `The answer has more than 20 KB. ${smaller}`.trim() }, 'null');
  cutToFit(parseJson(json), ({ value, shown }) => {
    const cut = toResult({ ...cutTold, ...(Object.keys(shown).length > 0 && { shown }) }, JSON.stringify(value));
    if (!fits(cut)) return false;
    result = cut;
    return true;
  });
  return result;
}

/** A refusal, with the route's problem and all its faults. */
export function toRefusal(problem: string): CallToolResult {
  const whole = toText(problem);
  if (fits(whole)) return { ...whole, isError: true };
  const cut = cutToFit(parseJson(problem), ({ value }) => fits(toText(JSON.stringify(value))));
  return { ...toText(JSON.stringify(cut?.value ?? {})), isError: true };
}
