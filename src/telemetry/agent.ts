import type { CountName, Source } from './ecosystem.ts';

/** What a coding agent's log records of requests to a model say, and where (D14.6). */
export interface Agent {
  /** The tool's name: the feature of its calls, unless they name one. */
  readonly name: string;
  /** The names of records of a request that was answered, and of one that failed. */
  readonly answered: readonly string[];
  readonly failed: readonly string[];
  /** An attribute that only the records of whole answers have. */
  readonly requires: string;
  readonly model: readonly string[];
  readonly provider: string;
  readonly elapsedMs: readonly string[];
  /** Flat counts, by OpenAI's convention: totals include their parts. */
  readonly counts?: Readonly<Partial<Record<CountName, string>>>;
  /** The same in a usage object of the provider, as a path in the object for each attribute. */
  readonly usage?: Readonly<Record<string, readonly string[]>>;
  /** The name of the usage object's field in the event. */
  readonly usageField?: 'usage' | 'usageMetadata';
  /** Attributes that name terms, with the values that count. */
  readonly speed?: { readonly name: string; readonly value: string };
  readonly cost?: string;
  readonly errorMessage: readonly string[];
  readonly errorType: readonly string[];
  readonly user: readonly string[];
  readonly session: readonly string[];
  /** What tells one record from all others; absent where only all of it does. */
  readonly requestId?: readonly string[];
  readonly content: readonly string[];
  readonly source: Source;
}
