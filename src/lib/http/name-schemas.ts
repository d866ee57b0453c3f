import { STATUS_CODES } from 'node:http';
import type { Document, Media, Operation, Parameter, Reference, Response, Schema } from './openapi-document.ts';
import { isSchema, mapValues, rebuildSchema } from './openapi-schema.ts';
import { pascal } from './operation-name.ts';

type Paths = NonNullable<Document['paths']>;
type Schemas = Readonly<Record<string, Schema>>;

/** Where a schema stands: the names from its operation down to it. */
interface Place {
  readonly path: readonly string[];
  /** For the whole of a body or an answer: its name. */
  readonly root?: string;
}

/** Names that say nothing without what is around them, or that languages have. */
const needsMore = new Set(
  (
    'After At Before By Check Client Code Data Day Dict Entry Error Event Field From Group Id Info Item Kind List Name Now ' +
    'Number Of Other Others Page Part Range Reason Result Row Source State Status Step Time Type Unit Value'
  ).split(' '),
);

/**
 * Names every object and every choice of values in the operations and the `given` schemas, so that generated clients have types with names: a
 * body is `CostsBody`, an answer `CostsAnswer`, its row `CostsRow`. What is the same in several places has one name.
 */
export function nameSchemas(paths: Paths, given: Schemas): { readonly paths: Paths; readonly schemas: Schemas } {
  const names = new Names();
  const note: Change = (schema, place) => names.note(schema, place);
  for (const [name, schema] of Object.entries(given)) rebuild(schema, { path: [name], root: name }, note);
  changeSchemas(paths, note);
  const schemas: Record<string, Schema> = {};
  const toName: Change = (schema, place, rebuilt) => {
    const name = names.of(schema, place);
    if (name === undefined) return rebuilt;
    // What is said of a place stays there. Generators take a title for a name, and leave out what has that of another.
    const { description, default: preset, examples, title: _title, ...rest } = rebuilt;
    schemas[name] = rest;
    return {
      $ref: `#/components/schemas/${name}`,
      ...(description !== undefined && { description }),
      ...(preset !== undefined && { default: preset }),
      ...(examples !== undefined && { examples }),
    };
  };
  for (const [name, schema] of Object.entries(given)) rebuild(schema, { path: [name], root: name }, toName);
  const named = changeSchemas(paths, toName);
  return { paths: named, schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

type Change = (schema: Schema, place: Place, rebuilt: Schema) => Schema;

class Names {
  /** The places of each schema that gets a name, by its text. */
  readonly #places = new Map<string, Place[]>();
  #names: ReadonlyMap<string, string> | undefined;

  note(schema: Schema, place: Place): Schema {
    if (isNamed(schema, place)) {
      const key = keyOf(schema);
      this.#places.set(key, [...(this.#places.get(key) ?? []), place]);
    }
    return schema;
  }

  of(schema: Schema, place: Place): string | undefined {
    this.#names ??= this.#choose();
    return isNamed(schema, place) ? this.#names.get(keyOf(schema)) : undefined;
  }

  /** Of each schema the shortest name that none could have which is as near to its operation. */
  #choose(): ReadonlyMap<string, string> {
    const groups = [...this.#places].map(([key, places]) => {
      const inner = places.filter(({ root }) => root === undefined);
      const possible = [...inner, ...places].flatMap(possibleNames);
      return { key, possible, depth: Math.min(...places.map(({ path }) => path.length)) };
    });
    const claims = new Map<string, number[]>();
    for (const { possible, depth } of groups) {
      for (const name of new Set(possible)) claims.set(name, [...(claims.get(name) ?? []), depth]);
    }
    const names = new Map<string, string>();
    const taken = new Set<string>();
    for (const { key, possible, depth } of groups.toSorted((a, b) => a.depth - b.depth)) {
      const isOwn = (name: string) => (claims.get(name) ?? []).filter((one) => one <= depth).length === 1;
      const free = possible.filter((one) => !taken.has(one));
      const name = free.find(isOwn) ?? free.at(-1);
      if (name === undefined) throw new Error(`Two schemas would have one name: ${possible.join(', ')}`);
      taken.add(name);
      names.set(key, name);
    }
    return names;
  }
}

/** From the shortest to the longest. */
function possibleNames({ path, root }: Place): string[] {
  if (root !== undefined) return [root];
  const own = path.at(-1) ?? '';
  const longer = path.slice(0, -1).map((_step, index) => path.slice(path.length - 2 - index).join(''));
  return [...(needsMore.has(own) ? [] : [own]), `${path[0]}${own}`, ...longer];
}

const isNamed = ({ type, properties, enum: values, anyOf }: Schema, { root }: Place): boolean =>
  (type === 'object' && isSchema(properties) && Object.keys(properties).length > 0) ||
  (Array.isArray(values) && values.length > 1) ||
  (root !== undefined && anyOf !== undefined);

const keyOf = ({ description: _d, default: _p, examples: _e, ...rest }: Schema): string => JSON.stringify(rest);

/** The operations, with what `change` makes of each schema, from within. */
function changeSchemas(paths: Paths, change: Change): Paths {
  return mapValues(paths, (item) =>
    mapValues(item, (operation) => {
      const { operationId = '', parameters, requestBody, responses } = operation;
      const name = pascal(operationId);
      const changed: Operation = {
        ...operation,
        ...(parameters && { parameters: parameters.map((one) => changeParameter(one, name, change)) }),
        ...(requestBody && {
          requestBody: { ...requestBody, content: changeContent(requestBody.content, name, `${name}Body`, change) },
        }),
        ...(responses && {
          responses: mapValues(responses, (response, status) => changeResponse(response, name, { status, change })),
        }),
      };
      return changed;
    }),
  );
}

function changeParameter(one: Parameter | Reference, name: string, change: Change): Parameter | Reference {
  if ('$ref' in one) return one;
  return { ...one, schema: rebuild(one.schema, { path: [name, pascal(one.name)] }, change) };
}

function changeResponse(
  response: Response | Reference,
  name: string,
  { status, change }: { readonly status: string; readonly change: Change },
): Response | Reference {
  if ('$ref' in response || response.content === undefined) return response;
  const kind = status.startsWith('2')
    ? 'Answer'
    : `${pascal((STATUS_CODES[status] ?? status).replaceAll(' ', '-'))}Problem`;
  return { ...response, content: changeContent(response.content, name, `${name}${kind}`, change) };
}

const changeContent = (content: Readonly<Record<string, Media>>, name: string, root: string, change: Change) =>
  mapValues(content, (media, type) =>
    media.schema && type.endsWith('json')
      ? { ...media, schema: rebuild(media.schema, { path: [name], root }, change) }
      : media,
  );

function rebuild(schema: Schema, place: Place, change: Change): Schema {
  const rebuilt = rebuildSchema(schema, (part, { keyword, name }) => {
    const above = place.path.slice(0, -1);
    const own = place.path.at(-1) ?? '';
    if (keyword === 'properties') return rebuild(part, { path: [...place.path, pascal(name)] }, change);
    if (keyword === 'items' || keyword === 'additionalProperties')
      return rebuild(part, { path: [...(place.path.length > 1 ? above : [own]), singular(own)] }, change);
    const told = toldApart(part, schema);
    return rebuild(part, { path: above.length === 0 ? [own, told || 'Plain'] : [...above, `${told}${own}`] }, change);
  });
  return change(schema, place, rebuilt);
}

/** What sets an alternative apart: the one value that a field of it has, or the field that only it has. */
function toldApart(part: Schema, whole: Schema): string {
  const alternatives = [whole.anyOf, whole.oneOf].flat().filter((one) => isSchema(one) && isSchema(one.properties));
  if (alternatives.length < 2 || !isSchema(part.properties)) return '';
  const fields = Object.entries(part.properties);
  const only = fields.flatMap(([, field]) => onlyValueOf(field)).find((value) => typeof value === 'string');
  if (only !== undefined) return pascal(only);
  const others = alternatives.filter((one) => one !== part);
  const own = fields.find(([name]) => !others.some((one) => Object.hasOwn(Object(Object(one).properties), name)));
  return pascal(own?.[0] ?? '');
}

/** The one value that a field may have, if there is one. */
function onlyValueOf(field: unknown): unknown[] {
  const { const: value, enum: values } = Object(field) as Schema;
  const all = Array.isArray(values) ? values : value === undefined ? [] : [value];
  return all.length === 1 ? all : [];
}

const singular = (word: string): string =>
  word.endsWith('ies') ? `${word.slice(0, -3)}y` : /(?:[^s]s)$/.test(word) ? word.slice(0, -1) : word;
