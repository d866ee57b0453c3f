import { byName } from '../lib/by-name.ts';
import { type Dimension, dimensionNames, dimensions, namedDimensions } from '../lib/dimensions.ts';

/** LiteLLM's user of keys that have none. */
export const liteLlmNobody = 'default_user_id';

/** The tags of an event or a call, and the top-level fields that are merged over a call's events (D4.1, D4.4). */
export interface Attributes {
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** The dimensions of a call; `''` where no event names one (D4.4, D4.5). */
export type Dimensions = Readonly<Record<Dimension, string>>;

/** The tags and fields that name a call's run, as those of a dimension. */
const runNames = { tags: ['run_id', 'run'], fields: ['run_id', 'trace_id', 'session_id'] } as const;

/** What has tags of its own: the dimensions that events name, and the run. */
const named = [...namedDimensions.map((name) => dimensions[name]), runNames];

/** Top-level fields stored beside the tags. The nested `response.model` is stored under that name. */
export const attributeFields: readonly string[] = named.flatMap(({ fields }) => fields);

/** Tags that name a dimension or a run; an empty value counts as absent (D3.4). */
export const dimensionTags: ReadonlySet<string> = new Set(named.flatMap(({ tags }) => tags));

const aliases: ReadonlyMap<string, readonly string[]> = new Map(
  named.flatMap(({ tags }) => tags.map((tag) => [tag, tags] as const)),
);

/** The tags that name the same as this one; a report that has one of them is not given another (D4.4). */
export const aliasesOf = (tag: string): readonly string[] => aliases.get(tag) ?? [tag];

function firstNamed(
  names: { tags: readonly string[]; fields: readonly string[] },
  { tags, fields }: Attributes,
): string {
  for (const name of names.tags) if (tags[name]) return tags[name];
  for (const name of names.fields) if (fields[name]) return fields[name];
  return '';
}

const unnamed: Dimensions = byName(dimensionNames, () => '');

/**
 * Resolves the dimensions in the order of D4.4. The catalogue later derives a missing provider from the model. Each
 * event and call is resolved: a copy whose values are set takes a quarter of the time of an object made of entries.
 */
export function resolveDimensions(attributes: Attributes): Dimensions {
  const found: Record<Dimension, string> = { ...unnamed };
  for (const name of dimensionNames) found[name] = firstNamed(dimensions[name], attributes);
  return found;
}

/** The run of a call; a call that names none is its own (D4.4), with the ordinal of its id (D4.2). */
export const resolveRun = (
  attributes: Attributes,
  call: { readonly eventId: string; readonly ordinal: number },
): string =>
  firstNamed(runNames, attributes) || (call.ordinal === 0 ? call.eventId : `${call.eventId}#${call.ordinal}`);
