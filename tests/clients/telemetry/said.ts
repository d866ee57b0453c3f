// What the spans of each client leave out of what the provider's usage says, by scenario. An empty list: nothing.
// OpenAI's searches of the web are not in its usage, and no client counts them.
import type { Unsaid } from './expected.ts';

/** A call as its spans tell it. */
export interface Said {
  readonly unsaid: readonly Unsaid[];
  /** The spans name the model that was asked for, not the one that answered. */
  readonly namesAsked?: true;
  /** The spans don't say who makes the call. */
  readonly isAnonymous?: true;
}

type Scenarios = Readonly<Record<string, Said>>;

const saying = (...unsaid: Unsaid[]): Said => ({ unsaid });
const all = saying();
const asked = (said: Said): Said => ({ ...said, namesAsked: true });
const anonymous = (said: Said): Said => ({ ...said, isAnonymous: true });

/** A stream without counts. */
const uncounted = saying('usage');

const aiSdk6: Scenarios = {
  chat: saying('audio'),
  'chat stream': saying('audio'),
  responses: all,
  'responses stream': all,
  object: saying('cached', 'reasoning', 'audio'),
  messages: all,
  'messages stream': all,
  'chat agent': saying('audio'),
  'messages agent': all,
  embedding: all,
  embeddings: all,
  limited: all,
};
/** Version 7 does not pass its context on from `generateObject`; the feature stands on the span around the call. */
const aiSdk7: Scenarios = { ...aiSdk6, object: anonymous(saying('audio')) };

const openLlmetry: Scenarios = {
  chat: saying('cached', 'reasoning', 'audio'),
  'chat stream': uncounted,
  responses: saying('cached', 'reasoning'),
  'responses stream': asked(uncounted),
  embedding: saying('call'),
  'chat agent': saying('cached', 'reasoning', 'audio'),
  limited: saying('call'),
  messages: saying('hour', 'searches'),
  // The last event of the stream has no input tokens, and its null stands for the count of the first.
  'messages stream': saying('fresh', 'hour', 'searches'),
  'messages limited': all,
};

const without = (scenarios: Scenarios, left: Scenarios): Scenarios =>
  Object.fromEntries(Object.entries(scenarios).filter(([name]) => !(name in left)));

/** Requests with two spans, of which the inner one has no usage: it stays a call, beside the outer one. */
const halfCounted: Scenarios = { 'responses stream': all, 'messages limited': all };

const named = (of: string, scenarios: Scenarios): Scenarios =>
  Object.fromEntries(Object.entries(scenarios).map(([name, said]) => [`${of} ${name}`, said]));

export const saidBy: Readonly<Record<string, Scenarios>> = {
  // A generation has but two counts; a stream has all.
  'ai-5': {
    ...aiSdk6,
    chat: saying('cached', 'reasoning', 'audio'),
    responses: saying('cached', 'reasoning'),
    'chat agent': saying('cached', 'reasoning', 'audio'),
  },
  'ai-6': aiSdk6,
  // Without the options `usage` and `providerMetadata`.
  'ai-7': {
    ...aiSdk7,
    chat: saying('reasoning', 'audio'),
    'chat stream': saying('reasoning', 'audio'),
    responses: saying('reasoning'),
    'responses stream': saying('reasoning'),
    object: anonymous(saying('reasoning', 'audio')),
    messages: saying('hour', 'searches'),
    'messages stream': saying('hour', 'searches'),
    'chat agent': saying('reasoning', 'audio'),
    'messages agent': saying('hour', 'searches'),
  },
  'ai-7-whole': aiSdk7,
  'ai-7-legacy': aiSdk7,
  'ai-7-openinference': aiSdk7,
  openinference: {
    chat: all,
    'chat stream': asked(uncounted),
    responses: all,
    'responses stream': all,
    embedding: uncounted,
    'chat agent': all,
    limited: saying('call'),
    messages: saying('searches'),
    'messages stream': saying('searches'),
  },
  traceloop: openLlmetry,
  // What the inner span says counts. Embeddings have an outer one only.
  'traceloop in openinference': { ...without(openLlmetry, halfCounted), embedding: uncounted },
  langfuse: {
    chat: all,
    'chat stream': asked(all),
    responses: all,
    'responses stream': all,
    embedding: uncounted,
    'chat agent': all,
    limited: all,
  },
  official: {
    chat: saying('cached', 'reasoning', 'audio'),
    'chat stream': saying('cached', 'reasoning', 'audio'),
    responses: saying('cached', 'reasoning'),
    embedding: all,
    limited: all,
  },
};

/** The same for scenarios that are more calls than requests, by their whole names. */
export const saidByOneOfTwo: Scenarios = {
  ...named('traceloop in openinference', halfCounted),
  'openinference messages limited': all,
};
