import { z } from 'zod';
import { termNames } from '../../lib/units.ts';

/**
 * Counts of tokens and of seconds that were transcribed, with the place of each in a usage object of OpenAI's chat
 * completions as gateways extend it. `input` and `output` are totals of which the other counts are parts; `total` is
 * their sum.
 */
export const countPaths = {
  input: 'prompt_tokens',
  output: 'completion_tokens',
  total: 'total_tokens',
  cacheRead: 'prompt_tokens_details.cached_tokens',
  cacheWrite: 'prompt_tokens_details.cache_creation_tokens',
  cacheWrite5m: 'prompt_tokens_details.cache_creation_token_details.ephemeral_5m_input_tokens',
  cacheWrite1h: 'prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens',
  inputText: 'prompt_tokens_details.text_tokens',
  inputAudio: 'prompt_tokens_details.audio_tokens',
  inputImage: 'prompt_tokens_details.image_tokens',
  inputVideo: 'prompt_tokens_details.video_tokens',
  cacheReadAudio: 'prompt_tokens_details.cached_tokens_details.audio_tokens',
  cacheReadImage: 'prompt_tokens_details.cached_tokens_details.image_tokens',
  reasoning: 'completion_tokens_details.reasoning_tokens',
  outputText: 'completion_tokens_details.text_tokens',
  outputAudio: 'completion_tokens_details.audio_tokens',
  outputImage: 'completion_tokens_details.image_tokens',
  audioSeconds: 'seconds',
} as const;

export type CountName = keyof typeof countPaths;

export const countNames = Object.keys(countPaths) as readonly CountName[];

/** The field of an event for each count that has one (D3.10). */
export const countFields = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cached_tokens',
  cacheWrite: 'cache_write_tokens',
  reasoning: 'reasoning_tokens',
  inputAudio: 'input_audio_tokens',
  outputAudio: 'output_audio_tokens',
  total: 'total_tokens',
} as const satisfies Readonly<Partial<Record<CountName, string>>>;

export type FlatCount = keyof typeof countFields;

const flatCounts = Object.keys(countFields) as readonly FlatCount[];

/** What is known of a span before its attributes: its instrumentation scope, and its name. */
export interface Emitter {
  readonly scope: string;
  readonly version: string;
  readonly spanName: string;
}

/** The page that a table is made from, and the version that it describes. */
const source = z.strictObject({ url: z.url({ protocol: /^https$/ }), version: z.string().regex(/\d/) });

/** What every part of a table may say besides: its source, if not that of the file, and what is odd about it. */
const aside = { source: z.string().optional(), note: z.string().optional() };

const texts = z.array(z.string());

/**
 * Names with one meaning; the first present counts. `#` names a member of an object within an attribute, as JSON or
 * Python; `.*` all attributes with the prefix, as an object.
 */
const names = z.union([texts, z.strictObject({ names: texts, ...aside }).transform((row) => row.names)]);

const pattern = z.string().transform((text) => new RegExp(text));

/** How a span shows whether it is one request to a model (D14.2). */
const decision = z.strictObject({
  /** The attribute that decides. */
  name: z.string(),
  /** An attribute that decides where that one is missing. */
  orName: z.string().optional(),
  /** Its values on requests to a model, in lower case. */
  calls: texts.transform((values): ReadonlySet<string> => new Set(values)),
  /** Its values on further requests, as sent. */
  pattern: pattern.optional(),
  /** Whether other text and a `.` may come before the value. */
  isLastPart: z.literal(true).optional(),
  /** The beginning of the scope's name, if other scopes use the attribute otherwise. */
  scope: z.string().optional(),
  /** Attributes without any of which the span says nothing of a request. */
  requires: texts.optional(),
  /** Last parts of names of spans that only prepare a request, although the attribute says otherwise. */
  preparing: texts.optional(),
  /** An attribute whose values show something else, although the deciding one says a request. */
  unless: z.strictObject({ name: z.string(), values: texts }).optional(),
  ...aside,
});
export type Decision = z.output<typeof decision>;

/** The decision of another ecosystem, for a scope of its own. */
const sameDecision = z.strictObject({
  as: z.string(),
  ...decision.pick({ scope: true, unless: true, source: true, note: true }).shape,
});

/** An emitter whose count leaves out a part, although its convention includes it (D27.9). */
const exception = z.strictObject({
  /** The name of its instrumentation scope; absent where every program can choose the name. */
  scope: z.string().optional(),
  /** A scope that has the same marks and follows the convention. */
  exceptScope: z.string().optional(),
  /** The first version of the scope that follows the convention. */
  before: z.string().optional(),
  /** The beginning of its spans' names. */
  spanName: z.string().optional(),
  /** An attribute that its spans have; absent where the scope identifies them. */
  has: z.string().optional(),
  /** Parts of the names of its providers or models, in lower case; absent for every provider. */
  provider: texts.optional(),
  /** An attribute that only later versions write; those versions follow the convention. */
  unless: z.string().optional(),
  ...aside,
});
export type Exception = z.output<typeof exception>;

/** Attributes that name the owner of a call, and the tag for it. */
const tagRow = z.strictObject({
  tag: z.enum(['customer', 'user', 'session', 'feature']),
  names: texts,
  /** Whether it is a library's name for itself, which holds where nobody has said otherwise. */
  isWeak: z.literal(true).optional(),
  ...aside,
});
export type TagRow = z.output<typeof tagRow>;

/** Attributes whose names begin with a prefix; the rest is the name of a tag. */
const tagPrefix = z.strictObject({
  prefix: z.string(),
  /** Names after the prefix that are not tags. */
  except: pattern.optional(),
  ...aside,
});
export type TagPrefix = z.output<typeof tagPrefix>;

/** What emitters write free of content (D14.5): kept, like the names that readers read. All else is dropped. */
const plain = z.strictObject({
  /** Attributes with ids, settings and codes: texts without white space, numbers, booleans, and lists of them. */
  words: texts.optional(),
  /** Attributes with names that people give: the same, and other short texts. */
  names: texts.optional(),
  /** Attributes that hold JSON with counts. They are kept if they hold nothing else. */
  counts: texts.optional(),
  /** The first parts of names: numbers and booleans under them are kept, whatever the rest of the name. */
  namespaces: texts.optional(),
  /** Prefixes of attributes that the app sets to describe a call. */
  metadata: z.array(tagPrefix).optional(),
  /** The names of events of spans. */
  events: texts.optional(),
  /** The names of spans that are no single word, and words that such names are made of. */
  spanNames: texts.optional(),
  ...aside,
});
export type PlainAttributes = z.output<typeof plain>;

/** What every file of `ecosystems/` begins with. */
const head = {
  name: z.string(),
  /** Whose spans or records these are. */
  about: z.string(),
  /** The source of all that names no other, and the others by the names that parts of the file have for them. */
  source,
  sources: z.record(z.string(), source).optional(),
};

/** The attributes of spans (D14.2, D14.4). A field is absent where it adds nothing to other ecosystems. */
export const ecosystemTable = z.strictObject({
  ...head,
  decision: z.union([decision, sameDecision]),
  /** The names of events of spans whose attributes are read as the span's. The last one decides. */
  answerEvents: texts.optional(),
  model: names.optional(),
  /** What frameworks and proxies call themselves where others have a provider's name, in lower case. */
  frameworks: texts.optional(),
  /** The model that was asked for, where `model` may be a proxy's alias of it. */
  askedModel: names.optional(),
  /** What the emitter adds to names of models: every match is taken off. */
  besideModel: z
    .string()
    .transform((text) => new RegExp(text, 'g'))
    .optional(),
  provider: names.optional(),
  counts: z.partialRecord(z.enum(countNames), names).optional(),
  excludesCache: z.array(exception).optional(),
  excludesReasoning: z.array(exception).optional(),
  /** The scope of an emitter whose spans of requests may sum several. */
  sums: z.strictObject({ scope: z.string(), ...aside }).optional(),
  /** An attribute that names the instrumentation, where all of an emitter have one scope. */
  instrumentation: z.strictObject({ name: z.string(), ...aside }).optional(),
  /** The scope of an emitter whose spans of some streams end before the request begins, and those of clients beside it. */
  beginnings: z.strictObject({ scope: z.string(), clients: texts.optional(), ...aside }).optional(),
  /** The scope of an emitter that counts the text of streams itself, whatever the provider tells. */
  estimates: z.strictObject({ scope: z.string(), ...aside }).optional(),
  /** The beginning of the scope of a provider's own client, whose counts are those of the answer. */
  client: z.strictObject({ scope: z.string(), ...aside }).optional(),
  /** The provider's own usage object, which has more detail than counts and wins over them (D27.8). */
  ownUsage: names.optional(),
  /** Attributes with the input count without cached tokens, for a usage object that has none. */
  ownInput: names.optional(),
  /** An attribute that holds JSON with disjoint counts, whose names say what they count. */
  addedCounts: names.optional(),
  terms: z.partialRecord(z.enum(termNames), names).optional(),
  /** An attribute that shows that the call failed, even if its status does not, and the one with the message. */
  failure: z.strictObject({ name: z.string(), value: z.string(), message: z.string(), ...aside }).optional(),
  /** An attribute whose value shows that a span tells the usage of a stream whose own span ended when it began, and its seconds. */
  follower: z.strictObject({ name: z.string(), value: z.string(), duration: z.string(), ...aside }).optional(),
  /** A cost in US dollars that the emitter computed: a number, or JSON with a number at `total`. */
  cost: names.optional(),
  tags: z.array(tagRow).optional(),
  metadata: z.array(tagPrefix).optional(),
  /** Attributes that hold an object with names and values of tags. */
  metadataObjects: names.optional(),
  plain: plain.optional(),
});
export type Ecosystem = Omit<z.output<typeof ecosystemTable>, 'decision'> & { readonly decision: Decision };

/** How the log records of a coding agent describe requests to a model (D14.6). */
export const agentTable = z.strictObject({
  ...head,
  /** The names of records of an answered request, and of a failed one. */
  answered: texts,
  failed: texts,
  /** An attribute that only records of complete answers have. */
  requires: z.string(),
  model: texts,
  provider: z.string(),
  /** The names of the provider's own models. Others show their provider; absent if all are the provider's. */
  ownModel: pattern.optional(),
  elapsedMs: texts,
  /** Flat counts, by OpenAI's convention: totals include their parts. */
  counts: z.partialRecord(z.enum(flatCounts), z.string()).optional(),
  /** The same in a usage object of the provider, as a path in the object for each attribute. */
  usage: z.record(z.string(), texts).optional(),
  /** The name of the usage object's field in the event. */
  usageField: z.enum(['usage', 'usageMetadata']).optional(),
  /** Attributes that name terms, with the values that count. */
  speed: z.strictObject({ name: z.string(), value: z.string() }).optional(),
  cost: z.string().optional(),
  errorMessage: texts,
  errorType: texts,
  user: texts,
  session: texts,
  /** The attributes that identify a record; absent if only the whole record does. */
  requestId: texts.optional(),
  plain,
  /** What is odd about its records. */
  notes: texts.optional(),
});
/** The name of an agent is the feature of calls that name no other. */
export type Agent = z.output<typeof agentTable>;

/** What emitters write whose spans have the attributes of another ecosystem, or are no calls. */
export const plainTable = z.strictObject({ ...head, plain });
