import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import type { Agent, Decision, Emitter } from './ecosystem.ts';
import { agents } from './ecosystems.ts';
import type { Attributes } from './otlp/attributes.ts';
import { byNames } from './otlp/by-names.ts';
import { type Lookup, lookupIn, recognisers } from './tables.ts';

/** The value by which a span shows what it is; undefined if it has none. */
export const decidingValue = (attributes: Attributes, { name, orName }: Decision): unknown =>
  attributes.get(name) ?? (orName === undefined ? undefined : attributes.get(orName));

/** The names of spans of requests that are free. */
export const isFree = /count_?tokens$/i;

/** The names to read a request to a model by (D14.2), of the first ecosystem whose deciding attribute is there. */
export function recogniseSpan(attributes: Attributes, { scope, spanName }: Emitter): Lookup | undefined {
  if (isFree.test(spanName)) return undefined;
  const present = byNames(attributes, recognisers, () =>
    recognisers
      .filter(({ decision }) => decidingValue(attributes, decision) !== undefined)
      .map(({ decision, lookup }) => ({ decision, lookup: lookupIn(attributes, lookup) })),
  );
  for (const { decision, lookup } of present) {
    const found = decidingValue(attributes, decision);
    const value = found === true ? 'true' : found;
    if (typeof value !== 'string' || !scope.startsWith(decision.scope ?? '')) continue;
    const text = value.toLowerCase();
    if (decision.preparing?.includes(lastPart(spanName)) || isOther(attributes, decision)) return undefined;
    const isCall =
      (decision.calls.has(decision.isLastPart ? lastPart(text) : text) || decision.pattern?.test(value) === true) &&
      (decision.requires?.some((name) => attributes.has(name)) ?? true);
    return isCall ? lookup : undefined;
  }
  return undefined;
}

const isOther = (attributes: Attributes, { unless }: Decision): boolean =>
  unless?.values.includes(String(attributes.get(unless.name))) === true;

const lastPart = (text: string): string => text.slice(text.lastIndexOf('.') + 1);

/** A log record of a request to a model by a coding agent (D14.6). */
export interface AgentRequest {
  readonly agent: Agent;
  readonly hasFailed: boolean;
}

const byName = new Map<string, AgentRequest>(
  agents.flatMap((agent) => [
    ...agent.answered.map((name): [string, AgentRequest] => [name, { agent, hasFailed: false }]),
    ...agent.failed.map((name): [string, AgentRequest] => [name, { agent, hasFailed: true }]),
  ]),
);

/** The request that a log record describes; undefined for any other record. */
export function recogniseLog(record: JsonObject, attributes: Attributes): AgentRequest | undefined {
  const body = isJsonObject(record.body) ? record.body.stringValue : undefined;
  for (const name of [record.eventName, attributes.get('event.name'), body]) {
    const request = typeof name === 'string' ? byName.get(name) : undefined;
    if (request === undefined) continue;
    return request.hasFailed || attributes.has(request.agent.requires) ? request : undefined;
  }
  return undefined;
}
