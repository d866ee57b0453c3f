import type { TermName } from '../../lib/units.ts';

/** The source and version of a row of a table. */
export interface Source {
  readonly url: string;
  readonly version: string;
}

/**
 * Names of attributes with the same meaning; the first that is present counts. A name with `#` is that of a member of
 * an object that an attribute holds, as JSON or as Python writes it; one that ends in `.*` is of all attributes with
 * the prefix, as an object.
 */
export interface Names {
  readonly names: readonly string[];
  readonly source: Source;
}

/**
 * Counts of tokens and of seconds that were transcribed, with the place of each in a usage object of OpenAI's chat completions as gateways extend it. `input`
 * and `output` are totals of which the other counts are parts, as in that object; `total` is their sum.
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

/** A value for each count. */
export const mapCounts = <Value>(make: (count: CountName) => Value): Readonly<Record<CountName, Value>> =>
  Object.fromEntries(countNames.map((count) => [count, make(count)])) as Record<CountName, Value>;

/** What is known of a span before its attributes: its instrumentation scope, and its name. */
export interface Emitter {
  readonly scope: string;
  readonly version: string;
  readonly spanName: string;
}

/** How a span shows whether it is one request to a model (D14.2). */
export interface Decision {
  /** The attribute that decides. */
  readonly name: string;
  /** An attribute that decides where that one is missing. */
  readonly orName?: string;
  /** Its values on requests to a model, in lower case. */
  readonly calls: ReadonlySet<string>;
  /** Its values on further requests, as sent. */
  readonly pattern?: RegExp;
  /** Whether other text and a `.` may come before the value. */
  readonly isLastPart?: true;
  /** The beginning of the scope's name, if other scopes use the attribute otherwise. */
  readonly scope?: string;
  /** An attribute without which the span says nothing of a request. */
  readonly requires?: string;
  /** Last parts of names of spans that only prepare a request, although the attribute says otherwise. */
  readonly preparing?: readonly string[];
  readonly source: Source;
}

/** An emitter whose count leaves out a part, although its convention includes it (D27.9). */
export interface Exception {
  /** The name of its instrumentation scope; absent where every program can choose the name. */
  readonly scope?: string;
  /** A scope that has the same marks and follows the convention. */
  readonly exceptScope?: string;
  /** The first version of the scope that follows the convention. */
  readonly before?: string;
  /** The beginning of its spans' names. */
  readonly spanName?: string;
  /** An attribute that its spans have; absent where the scope identifies them. */
  readonly has?: string;
  /** Parts of the names of its providers or models, in lower case; absent for every provider. */
  readonly provider?: readonly string[];
  /** An attribute that only later versions write; those versions follow the convention. */
  readonly unless?: string;
  readonly source: Source;
}

/** Attributes that name the owner of a call, and the tag for it. */
export interface TagRow extends Names {
  readonly tag: 'customer' | 'user' | 'session' | 'feature';
  /** Whether it is a library's name for itself, which holds where nobody has said otherwise. */
  readonly isWeak?: true;
}

/** Attributes whose names begin with a prefix; the rest is the name of a tag. */
export interface TagPrefix {
  readonly prefix: string;
  /** Names after the prefix that are not tags. */
  readonly except?: RegExp;
  readonly source: Source;
}

/**
 * What an emitter writes that is free of prompts, answers and other content (D14.5). It is kept, as are the names that
 * readers read; everything else is dropped.
 */
export interface PlainAttributes {
  /** Attributes with ids, settings and codes: texts without white space, numbers, booleans, and lists of them. */
  readonly words?: readonly string[];
  /** Attributes with names that people give: the same, and other short texts. */
  readonly names?: readonly string[];
  /** Attributes that hold JSON with counts. They are kept if they hold nothing else. */
  readonly counts?: readonly string[];
  /** The first parts of names: numbers and booleans under them are kept, whatever the rest of the name. */
  readonly namespaces?: readonly string[];
  /** Prefixes of attributes that the app sets to describe a call. */
  readonly metadata?: readonly TagPrefix[];
  /** The names of events of spans. */
  readonly events?: readonly string[];
  /** The names of spans that are no single word, and words that such names are made of. */
  readonly spanNames?: readonly string[];
  readonly source: Source;
}

/**
 * The attributes of an ecosystem's spans (D14.2, D14.4). A field is absent where it adds nothing to the other
 * ecosystems.
 */
export interface Ecosystem {
  readonly name: string;
  readonly decision: Decision;
  /** The names of events of spans whose attributes are read as the span's. The last one decides. */
  readonly answerEvents?: readonly string[];
  readonly model?: Names;
  /** The model that was asked for, where `model` may be a proxy's alias of it. */
  readonly askedModel?: Names;
  /** What the emitter adds to names of models. */
  readonly besideModel?: RegExp;
  readonly provider?: Names;
  readonly counts?: Readonly<Partial<Record<CountName, Names>>>;
  readonly excludesCache?: readonly Exception[];
  readonly excludesReasoning?: readonly Exception[];
  /** The scope of an emitter whose spans of requests may sum several. */
  readonly sums?: { readonly scope: string; readonly source: Source };
  /** The scope of an emitter that counts the text of streams itself, whatever the provider tells. */
  readonly estimates?: { readonly scope: string; readonly source: Source };
  /** The provider's own usage object, which has more detail than counts and wins over them (D27.8). */
  readonly ownUsage?: Names;
  /** Attributes with the input count without cached tokens, for a usage object that has none. */
  readonly ownInput?: Names;
  /** An attribute that holds JSON with disjoint counts, whose names say what they count. */
  readonly addedCounts?: Names;
  readonly terms?: Readonly<Partial<Record<TermName, Names>>>;
  /**
   * An attribute whose value shows that the call failed, even if the span's status does not, and the attribute with
   * the message.
   */
  readonly failure?: {
    readonly name: string;
    readonly value: string;
    readonly message: string;
    readonly source: Source;
  };
  /** An attribute whose value shows that a span tells the usage of a stream whose own span ended when it began. */
  readonly follower?: { readonly name: string; readonly value: string; readonly source: Source };
  /** A cost in US dollars that the emitter computed: a number, or JSON with a number at `total`. */
  readonly cost?: Names;
  readonly tags?: readonly TagRow[];
  readonly metadata?: readonly TagPrefix[];
  /** Attributes that hold an object with names and values of tags. */
  readonly metadataObjects?: Names;
  readonly plain?: PlainAttributes;
}
