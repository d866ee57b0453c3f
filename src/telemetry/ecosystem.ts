import type { TermName } from '../lib/units.ts';

/** The source and version of a row of a table. */
export interface Source {
  readonly url: string;
  readonly version: string;
}

/** Names of attributes with the same meaning; the first that is present counts. */
export interface Names {
  readonly names: readonly string[];
  readonly source: Source;
}

/** Counts of tokens. Where `input` and `output` are totals, the other counts are parts of them; `total` is their sum. */
export type CountName =
  | 'input'
  | 'output'
  | 'cacheRead'
  | 'cacheWrite'
  | 'reasoning'
  | 'inputAudio'
  | 'outputAudio'
  | 'total';

/** The field of an event for each count (D3.10). */
export const countFields = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cached_tokens',
  cacheWrite: 'cache_write_tokens',
  reasoning: 'reasoning_tokens',
  inputAudio: 'input_audio_tokens',
  outputAudio: 'output_audio_tokens',
  total: 'total_tokens',
} as const satisfies Readonly<Record<CountName, string>>;

export const countNames = Object.keys(countFields) as readonly CountName[];

/** A value for each count. */
export const mapCounts = <Value>(make: (count: CountName) => Value): Readonly<Record<CountName, Value>> => ({
  input: make('input'),
  output: make('output'),
  cacheRead: make('cacheRead'),
  cacheWrite: make('cacheWrite'),
  reasoning: make('reasoning'),
  inputAudio: make('inputAudio'),
  outputAudio: make('outputAudio'),
  total: make('total'),
});

/** How a span shows whether it is one request to a model (D14.2). */
export interface Decision {
  /** The attribute that decides. */
  readonly name: string;
  /** Its values on requests to a model, in lower case. */
  readonly calls: ReadonlySet<string>;
  /** Whether other text and a `.` may come before the value. */
  readonly isLastPart?: true;
  /** Last parts of names of spans that only prepare a request, although the attribute says otherwise. */
  readonly preparing?: readonly string[];
  readonly source: Source;
}

/** An emitter whose input count leaves out cached tokens, although its convention includes them. */
export interface Exception {
  /** The name of its instrumentation scope; absent where every program can choose the name. */
  readonly scope?: string;
  /** An attribute that its spans have; absent where the scope identifies them. */
  readonly has?: string;
  /** Parts of the names of its providers, in lower case; absent for every provider. */
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
  readonly except?: readonly string[];
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
  readonly model?: Names;
  readonly provider?: Names;
  readonly counts?: Readonly<Partial<Record<CountName, Names>>>;
  readonly excludesCache?: readonly Exception[];
  /** An attribute that holds the provider's own usage object as JSON, which has more detail than counts. */
  readonly ownUsage?: {
    readonly name: string;
    readonly paths: readonly (readonly string[])[];
    /** Attributes with the input count without cached tokens, for a usage object that has none. */
    readonly input: readonly string[];
    readonly source: Source;
  };
  /** The tokens written to the cache by lifetime, which Anthropic prices differently. */
  readonly cacheLifetimes?: { readonly fiveMinutes: string; readonly hour: string; readonly source: Source };
  /** An attribute that holds JSON with disjoint counts, whose names say what they count. */
  readonly addedCounts?: Names;
  readonly terms?: Readonly<Partial<Record<TermName, Names>>>;
  /** Terms inside an attribute that holds JSON. */
  readonly innerTerms?: readonly {
    readonly name: string;
    readonly path: readonly string[];
    readonly term: TermName;
    readonly source: Source;
  }[];
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
  /** Attributes that hold JSON with names and values of tags. */
  readonly metadataObjects?: Names;
  readonly plain?: PlainAttributes;
}
