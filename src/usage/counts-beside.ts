import type { JsonObject } from '../lib/json-object.ts';
import { nobody } from './readers/answerer.ts';
import { readProviderTokens } from './readers/provider-usage.ts';
import { UsageObject } from './readers/usage-object.ts';

/** What a count beside a usage object counts. */
export type BesideKind =
  | 'input'
  | 'output'
  | 'total'
  | 'cacheRead'
  | 'cacheWrite'
  | 'reasoning'
  | 'inputAudio'
  | 'outputAudio';

/** The counts beside a usage object that contradict it, by their paths in the event; undefined if there are none. */
export function findUnlike(
  usage: JsonObject,
  counts: readonly (readonly [kind: BesideKind, path: string, count: number | undefined])[],
): Record<string, number> | undefined {
  const agrees = agreesWith(usage);
  let unlike: Record<string, number> | undefined;
  for (const [kind, path, count] of counts) {
    if (count === undefined || agrees(kind, count)) continue;
    unlike ??= {};
    unlike[path] = count;
  }
  return unlike;
}

/** Whether a usage object has counts in a known shape. */
export function hasTokens(usage: JsonObject): boolean {
  const object = new UsageObject(usage, '');
  const tokens = readProviderTokens(object, nobody);
  object.free();
  return tokens !== null;
}

/** Whether a count beside the usage object agrees, as it was sent or with all parts. 0 says nothing. */
export function agreesWith(usage: JsonObject): (kind: BesideKind, count: number) => boolean {
  const object = new UsageObject(usage, '');
  const tokens = readProviderTokens(object, nobody);
  object.free();
  if (tokens === null) return (_, count) => count === 0;
  const { input, output } = tokens;
  const cached = (input.cacheRead ?? 0) + (input.cacheWrite ?? 0);
  const inputs = [input.total ?? 0, input.totalAsSent ?? 0, (input.total ?? 0) - cached];
  const outputs = [
    output.total ?? 0,
    output.totalAsSent ?? output.total ?? 0,
    (output.total ?? 0) - (output.reasoning ?? 0),
  ];
  const totals = inputs.flatMap((prompt) => outputs.map((completion) => prompt + completion));
  const parts = {
    ...{ cacheRead: input.cacheRead, cacheWrite: input.cacheWrite, reasoning: output.reasoning },
    ...{ inputAudio: input.audio, outputAudio: output.audio },
  };
  return (kind, count) => {
    if (count === 0) return true;
    if (kind === 'input') return inputs.includes(count);
    if (kind === 'output') return outputs.includes(count);
    return kind === 'total' ? totals.includes(count) : parts[kind] === count;
  };
}
