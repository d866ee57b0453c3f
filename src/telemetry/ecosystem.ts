import type { TermName } from '../lib/units.ts';

/** Where a row of a table was read, and of which version. */
export interface Source {
  readonly url: string;
  readonly version: string;
}

/** Names of attributes that mean the same, by falling precedence. */
export interface Names {
  readonly names: readonly string[];
  readonly source: Source;
}

/** Counts of tokens. Where `input` and `output` are sums, the others are parts of them. */
export type CountName = 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning' | 'inputAudio' | 'outputAudio';

/** The field of an event for each count (D3.10). */
export const countFields = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cached_tokens',
  cacheWrite: 'cache_write_tokens',
  reasoning: 'reasoning_tokens',
  inputAudio: 'input_audio_tokens',
  outputAudio: 'output_audio_tokens',
} as const satisfies Readonly<Record<CountName, string>>;

export const countNames = Object.keys(countFields) as readonly CountName[];

/** Something for each count. */
export const mapCounts = <Value>(make: (count: CountName) => Value): Readonly<Record<CountName, Value>> => ({
  input: make('input'),
  output: make('output'),
  cacheRead: make('cacheRead'),
  cacheWrite: make('cacheWrite'),
  reasoning: make('reasoning'),
  inputAudio: make('inputAudio'),
  outputAudio: make('outputAudio'),
});

/** How a span shows whether it is one request to a model (D14.2). */
export interface Decision {
  /** The attribute that decides. */
  readonly name: string;
  /** Its values on requests to a model, in lower case. */
  readonly calls: ReadonlySet<string>;
  /** Whether the value may have something else before a `.` and the value. */
  readonly isLastPart?: true;
  readonly source: Source;
}

/** An emitter whose input count leaves out cached tokens, against its convention. */
export interface Exception {
  /** The name of its instrumentation scope; absent where every program may choose it. */
  readonly scope?: string;
  /** An attribute that its spans have; absent where the scope tells them. */
  readonly has?: string;
  /** Parts of the names of its providers, in lower case; absent for every provider. */
  readonly provider?: readonly string[];
  /** An attribute that only later versions write, which keep to the convention. */
  readonly unless?: string;
  readonly source: Source;
}

/** Attributes that name what a call belongs to, and the tag for it. */
export interface TagRow extends Names {
  readonly tag: 'customer' | 'user' | 'session' | 'feature';
}

/** Attributes whose names begin with a prefix; the rest is the name of a tag. */
export interface TagPrefix {
  readonly prefix: string;
  readonly source: Source;
}

/** What an ecosystem's spans say, and where (D14.2, D14.4). A field is absent where it adds nothing to the others. */
export interface Ecosystem {
  readonly name: string;
  readonly decision: Decision;
  readonly model?: Names;
  readonly provider?: Names;
  readonly counts?: Readonly<Partial<Record<CountName, Names>>>;
  readonly excludesCache?: readonly Exception[];
  /** How many of the cache writes are kept for an hour. */
  readonly hourWrites?: Names;
  /** An attribute that holds JSON with the provider's own usage object, which says more than counts. */
  readonly ownUsage?: {
    readonly name: string;
    readonly paths: readonly (readonly string[])[];
    readonly source: Source;
  };
  /** An attribute that holds JSON with counts that add up, by names that say of what. */
  readonly addedCounts?: Names;
  readonly terms?: Readonly<Partial<Record<TermName, Names>>>;
  /** A cost in US dollars that the emitter worked out: a number, or JSON with one at `total`. */
  readonly cost?: Names;
  /** An attribute whose value says that the call failed, where the span's status may not, and one with the message. */
  readonly failure?: {
    readonly name: string;
    readonly value: string;
    readonly message: string;
    readonly source: Source;
  };
  readonly tags?: readonly TagRow[];
  readonly metadata?: readonly TagPrefix[];
  /** Attributes that hold JSON with names and values of tags. */
  readonly metadataObjects?: Names;
  /** Attributes with prompts, answers and the like: whole names, and beginnings of names that end in a dot. */
  readonly content?: Names;
}
