import { plainSpanType } from '../../calls/events/plain-span.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { isWord } from '../../lib/plain-texts.ts';
import type { Emitter } from './ecosystem.ts';
import type { Attributes } from './otlp/attributes.ts';
import { decidingValue, isFree } from './recognise.ts';
import { plainSpanName } from './span-name.ts';
import { isOfModel, recognisers } from './tables.ts';

/** Values of deciding attributes that say what a span is instead: what sums requests up, tools, and parts of agents. */
const noRequest =
  /^(?:(?:invoke|create|execute|run|plan|search|update|delete|upsert)_(?!model|chat|completion|message|response|embedding)\w+|agent(?:_\w+)?|chain|tool|retriev\w+|guardrail|evaluat\w+|prompt|parser|decision|span|event|workflow|task|session|memory|handoff|operation|function|model_step|gcp\.vertex\.agent)$/i;

/** What agents' spans that are sums have, where they name no operation. */
const ofAgent = ['gen_ai.agent.name', 'agent_name', 'traceloop.span.kind'];

/** The scope and name by which coverage names what looks like a request and is taken for none (D27.5). */
export function lookalikeName(attributes: Attributes, { scope, spanName }: Emitter): string | undefined {
  const isAgent = !attributes.has('gen_ai.operation.name') && ofAgent.some((name) => attributes.has(name));
  if (isFree.test(spanName) || isAgent) return undefined;
  let isAlike = [...attributes.keys()].some(isOfModel);
  for (const { decision } of recognisers) {
    const value = decidingValue(attributes, decision);
    if (typeof value !== 'string' || !scope.startsWith(decision.scope ?? '')) continue;
    if (decision.isLastPart || noRequest.test(value)) return undefined;
    if (decision.preparing?.some((last) => spanName.endsWith(last))) return undefined;
    // It is a request, and what it needs to be read is not there.
    isAlike ||= decision.pattern?.test(value) === true;
  }
  if (!isAlike) return undefined;
  const name = plainSpanName(spanName, attributes) ?? 'a span';
  return `not a call: ${isWord(scope) ? scope : 'a scope'}, ${name}`;
}

/** The event that tells coverage of one. It forms no call. */
export const toLookalikeEvent = (eventId: string, name: string): JsonObject => ({
  event_id: eventId,
  event_type: plainSpanType,
  unread_usage: { [name]: 1 },
});
