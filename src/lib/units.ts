/**
 * What a provider charges for beside tokens (D26.1). Every unit has one unit price; a call's count of it is an exact decimal of up to
 * 12 fractional digits, held as a whole number of 1e-12, as money is: `parseMoney` and `formatMoney` read and write it.
 */
export const unitNames = [
  /** Searches of the web by a server-side tool: Anthropic, OpenAI, xAI, Groq and others. */
  'web_searches',
  /** Fetches of a web page by a server-side tool. */
  'web_fetches',
  /** Searches of posts on X (xAI). */
  'x_searches',
  /** Searches of stored files or collections (OpenAI, xAI). */
  'file_searches',
  /** Searches of files attached to a conversation (xAI). */
  'attachment_searches',
  /** Containers or sandboxes that ran code. */
  'code_sessions',
  /** Prompts that were grounded with Google Search, charged once however many searches they made (Gemini 2.5 and older). */
  'grounded_prompts',
  /** Searches that a grounded prompt made, each charged (Gemini 3 and newer). */
  'grounded_queries',
  /** Prompts that were grounded with Google Maps. */
  'maps_prompts',
  /** Sources that a live search used (xAI). */
  'searched_sources',
  /** Searches that a research model made (Perplexity). */
  'search_queries',
  /** Tokens of cited texts, charged apart from the prompt (Perplexity). */
  'citation_tokens',
  /** Rerank searches (Cohere): one query with up to 100 documents. */
  'search_units',
  /** Classifications (Cohere). */
  'classifications',
  /** Seconds of audio that were transcribed, translated or made. */
  'audio_seconds',
  /** Characters of text that were spoken. */
  'characters',
  /** Images that were made, or embedded. */
  'images',
  /** Seconds of video that were made. */
  'video_seconds',
  /** Videos that were made, where the answer doesn't say how long they are. */
  'videos',
  /** Seconds for which a job ran on a machine (Replicate). */
  'compute_seconds',
  /** Units of text or image that a guardrail checked by each of its policies (Bedrock). */
  'guardrail_topic_units',
  'guardrail_content_units',
  'guardrail_word_units',
  'guardrail_sensitive_units',
  'guardrail_grounding_units',
  'guardrail_image_units',
  'guardrail_reasoning_units',
  /** Pages of documents that were read. */
  'pages',
  /** Pages of documents that were annotated, charged beside reading them (Mistral). */
  'annotated_pages',
  /** Requests with a fixed price. */
  'requests',
] as const;

export type UnitName = (typeof unitNames)[number];

/** What a model itself makes or reads: some models are sold by these alone. The others are tools beside tokens. */
export const modelUnits = [
  'search_units',
  'classifications',
  'audio_seconds',
  'characters',
  'images',
  'video_seconds',
  'videos',
  'compute_seconds',
  'pages',
] as const satisfies readonly UnitName[];

/** Counts by unit, in 1e-12 of one; only units with a count above 0. */
export type Units = Readonly<Partial<Record<UnitName, bigint>>>;

export const noUnits: Units = {};

/** What changes the rates of a call (D26.1). The names are those of the event's flat fields and of `fields` in the store. */
export const termNames = [
  /** `batch`, `flex`, `priority` …, as the provider names it. */
  'service_tier',
  /** `fast` (Anthropic). */
  'speed',
  /** Where the call was processed, if that has a price: `us` (Anthropic's `inference_geo`), a data zone, a region. */
  'geo',
  /** The lifetime of cache writes that the usage doesn't split: `5m`, `1h`. */
  'cache_ttl',
  /** Of images and video: `1024x1024`, `720p`. */
  'size',
  'quality',
  /** `low`, `medium`, `high`: the amount of context that a web search brings. */
  'search_context_size',
] as const;

export type TermName = (typeof termNames)[number];

/**
 * What of a call may have no known price (D26.3): its units, its terms, the tokens of other models within it, where it
 * sums requests, whether one of them was so large that it had a higher price, and a kind of token that is charged like a
 * wider kind, because its own price isn't known.
 */
export const partNames = [
  ...unitNames,
  ...termNames,
  'other_models',
  'prompt_sizes',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'input_audio',
  'cache_read_audio',
  'input_image',
  'cache_read_image',
  'input_video',
  'output_audio',
  'output_image',
  'output_video',
] as const;

export type PartName = (typeof partNames)[number];

/** The terms that a call names, as its provider writes them, in lower case. */
export type Terms = Readonly<Partial<Record<TermName, string>>>;

export const noTerms: Terms = {};

/** The terms among `fields`; an empty text counts as absent. */
export function readTerms(fields: Readonly<Record<string, string | undefined>>): Terms {
  let terms: Partial<Record<TermName, string>> | undefined;
  for (const name of termNames) {
    const value = fields[name];
    if (value === undefined || value === '') continue;
    terms ??= {};
    terms[name] = value;
  }
  return terms ?? noTerms;
}

/** Of the text of a term, in characters; longer ones are not read from events. */
export const maxTermLength = 64;

/** The terms that change the price of every call that names them; the others only choose the price of a unit. */
export const rateTerms = ['service_tier', 'speed', 'geo'] as const satisfies readonly TermName[];

export type RateTerm = (typeof rateTerms)[number];
