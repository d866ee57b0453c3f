/** LiteLLM's user of keys that have none. */
export const liteLlmNobody = 'default_user_id';

/** The tags of an event or a call, and the top-level fields that are merged over a call's events (D4.1, D4.4). */
export interface Attributes {
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** The dimensions of a call; `''` where no event names one (D4.4, D4.5). */
export interface Dimensions {
  readonly customer: string;
  readonly user: string;
  readonly feature: string;
  readonly model: string;
  readonly provider: string;
}

/**
 * Top-level fields that are stored in addition to the tags, under these names. The nested `response.model` is stored as
 * `response.model`.
 */
export const attributeFields = [
  'customer',
  'customer_id',
  'customer_name',
  'user',
  'user_id',
  'feature',
  'run_id',
  'trace_id',
  'session_id',
] as const;

/** Tags that name a dimension or a run; an empty value counts as absent (D3.4). */
export const dimensionTags: ReadonlySet<string> = new Set([
  'customer',
  'customer_id',
  'user',
  'user_id',
  'feature',
  'run_id',
  'run',
]);

/** Resolves the dimensions in the order of D4.4. The catalogue later derives a missing provider from the model. */
export function resolveDimensions({ tags, fields }: Attributes): Dimensions {
  return {
    customer: tags.customer || tags.customer_id || fields.customer || fields.customer_id || fields.customer_name || '',
    user: tags.user || tags.user_id || fields.user || fields.user_id || '',
    feature: tags.feature || fields.feature || '',
    model: fields.model || fields['response.model'] || '',
    provider: fields.provider || '',
  };
}

/**
 * The run of a call; a call that names none is its own run (D4.4). The ordinal distinguishes several calls of one id
 * (D4.2).
 */
export function resolveRun(
  { tags, fields }: Attributes,
  call: { readonly eventId: string; readonly ordinal: number },
): string {
  const named = tags.run_id || tags.run || fields.run_id || fields.trace_id || fields.session_id;
  return named || (call.ordinal === 0 ? call.eventId : `${call.eventId}#${call.ordinal}`);
}
