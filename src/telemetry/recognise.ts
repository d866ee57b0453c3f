import type { Agent } from './agent.ts';
import { agents } from './ecosystems/index.ts';
import { type Attributes, isJson, type Json } from './otlp/attributes.ts';
import { type Lookup, recognisers } from './tables.ts';

/**
 * The names to read a span by if it is one request to a model (D14.2); undefined otherwise. The first ecosystem whose
 * deciding attribute is present decides.
 */
export function recogniseSpan(attributes: Attributes, name: unknown): Lookup | undefined {
  for (const { decision, lookup } of recognisers) {
    const value = attributes.get(decision.name);
    if (typeof value !== 'string') continue;
    const text = value.toLowerCase();
    const decisive = decision.isLastPart ? lastPart(text) : text;
    if (typeof name === 'string' && decision.preparing?.includes(lastPart(name))) return undefined;
    return decision.calls.has(decisive) ? lookup : undefined;
  }
  return undefined;
}

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
export function recogniseLog(record: Json, attributes: Attributes): AgentRequest | undefined {
  const body = isJson(record.body) ? record.body.stringValue : undefined;
  for (const name of [record.eventName, attributes.get('event.name'), body]) {
    const request = typeof name === 'string' ? byName.get(name) : undefined;
    if (request === undefined) continue;
    return request.hasFailed || attributes.has(request.agent.requires) ? request : undefined;
  }
  return undefined;
}
