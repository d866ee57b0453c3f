import type { FlatCount, PlainAttributes, Source } from './ecosystem.ts';

/** How the log records of a coding agent describe requests to a model (D14.6). */
export interface Agent {
  /** The tool's name. It is the feature of calls that name no other. */
  readonly name: string;
  /** The names of records of an answered request, and of a failed one. */
  readonly answered: readonly string[];
  readonly failed: readonly string[];
  /** An attribute that only records of complete answers have. */
  readonly requires: string;
  readonly model: readonly string[];
  readonly provider: string;
  /** The names of the provider's own models. Others show their provider; absent if all are the provider's. */
  readonly ownModel?: RegExp;
  readonly elapsedMs: readonly string[];
  /** Flat counts, by OpenAI's convention: totals include their parts. */
  readonly counts?: Readonly<Partial<Record<FlatCount, string>>>;
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
  /** The attributes that identify a record; absent if only the whole record does. */
  readonly requestId?: readonly string[];
  readonly plain: PlainAttributes;
  readonly source: Source;
}
