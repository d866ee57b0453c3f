import { liteLlmNobody } from '../../calls/attribution.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { type Attributes, objectAt, presentNames } from './otlp/attributes.ts';
import { byNames } from './otlp/by-names.ts';
import { holdsObject, metadataKeyOf } from './plain-attributes.ts';
import { dimensionKeys, metadataObjects, ownPrefix, tagPrefixes, tagRows, weakTagRows } from './tables.ts';

/** The bounds of tags in events (D3.5). Longer values can't be tags. */
const maxKeyLength = 128;
const maxValueLength = 1_024;

/** Tags, and the names of those among them that hold only where nobody has said otherwise. */
export interface SpanTags {
  readonly tags: Readonly<Record<string, string>>;
  readonly weak: readonly string[];
}

/**
 * The tags that a span says (D14.4), in this order: attributes `farthing.…`, the customary names for customer, user,
 * session and feature, and metadata; then the same of the resource; last what libraries call themselves. The first value
 * of a tag counts. What the resource and libraries say is weak: a span around this one may say otherwise, which is known
 * when all are assembled, since it may come in another request (D27.6). Undefined if nothing is said.
 */
export function readSaid(span: Attributes, maxTags: number, resource?: Attributes): SpanTags | undefined {
  const tags = new Map<string, string>();
  const add = (key: string, value: unknown): void => {
    if (tags.has(key) || tags.size >= maxTags || key === '' || key.length > maxKeyLength) return;
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string' || text === '' || text.length > maxValueLength || nobody.test(text)) return;
    tags.set(key, text);
  };
  if (resource && !ofResources.has(resource)) ofResources.set(resource, findPlaces(resource));
  addOwn(span, add);
  const own = tags.size;
  if (resource) addOwn(resource, add);
  for (const source of resource ? [span, resource] : [span]) {
    for (const [tag, name] of placesIn(source).weak) add(tag, nameIn(source.get(name)));
  }
  return tags.size === 0 ? undefined : { tags: Object.fromEntries(tags), weak: [...tags.keys()].slice(own) };
}

/** What stands for no value: LiteLLM's, an object of Python as it prints, or what Logfire put in its place. */
const nobody = new RegExp(`^(?:${liteLlmNobody}|<[\\w.]+ object at 0x[\\da-f]+>|\\[Scrubbed due to .*\\])$`, 'i');

export const toTagFields = (said: SpanTags | undefined): JsonObject => ({
  tags: said?.tags ?? {},
  ...(said && said.weak.length > 0 && { weak_tags: said.weak }),
});

type Add = (key: string, value: unknown) => void;

/** Which attributes of these names are tags, and under which key. */
interface Places {
  readonly own: readonly Place[];
  readonly metadata: readonly Place[];
  readonly objects: readonly string[];
  readonly weak: readonly Place[];
}

type Place = readonly [key: string, attribute: string];

function findPlaces(attributes: Attributes): Places {
  const names = [...attributes.keys()];
  const inRows = (rows: typeof tagRows): Place[] =>
    rows.flatMap(([tag, of]) => of.filter((name) => attributes.has(name)).map((name): Place => [tag, name]));
  const ofUser = names.filter((name) => name.startsWith(ownPrefix));
  return {
    own: [...ofUser.map((name): Place => [name.slice(ownPrefix.length), name]), ...inRows(tagRows)],
    metadata: names.flatMap((name): Place[] => {
      const key = metadataKeyOf(name, tagPrefixes);
      return key === undefined ? [] : [[key, name]];
    }),
    objects: presentNames(attributes, metadataObjects),
    weak: inRows(weakTagRows),
  };
}

/** Resources are those of many spans each. */
const ofResources = new WeakMap<Attributes, Places>();

const placesIn = (attributes: Attributes): Places =>
  ofResources.get(attributes) ?? byNames(attributes, findPlaces, () => findPlaces(attributes));

function addOwn(source: Attributes, add: Add): void {
  for (const [key, name] of placesIn(source).own) add(key, source.get(name));
  addMetadata(source, add);
}

/** Ids that frameworks give to what nobody has named. */
const randomId = /[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}|^[\da-f]{16,}$/i;

const nameIn = (value: unknown): unknown => (typeof value === 'string' && randomId.test(value) ? undefined : value);

/** What LangChain, LangGraph, LangSmith and LiteLLM add to metadata for themselves. */
const innerKey =
  /^(?:__pregel_|checkpoint_|langgraph_|lc_|ls_|usage_object$|applied_guardrails$|(?:spend_logs|requester)_metadata$)/;

function addMetadata(source: Attributes, add: Add): void {
  const { metadata, objects } = placesIn(source);
  const addKey = (key: string, value: unknown): void => {
    if (innerKey.test(key) || (typeof value === 'string' && holdsObject(value))) return;
    const tag = dimensionKeys.get(key);
    if (tag !== undefined) add(tag, value);
    add(key, value);
  };
  for (const [key, name] of metadata) addKey(key, source.get(name));
  for (const name of objects) {
    for (const [key, value] of Object.entries(objectIn(source, name) ?? {})) addKey(key, value);
  }
}

function objectIn(source: Attributes, name: string): JsonObject | undefined {
  const [attribute = '', member] = name.split('#');
  const object = objectAt(source, attribute);
  const inner = member === undefined ? object : object?.[member];
  return isJsonObject(inner) ? inner : undefined;
}
