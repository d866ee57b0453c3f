import { byName } from '../../lib/by-name.ts';
import { remembered } from '../../lib/remembered.ts';
import { type TermName, termNames } from '../../lib/units.ts';
import {
  type CountName,
  countNames,
  type Ecosystem,
  type Exception,
  type PlainAttributes,
  type TagPrefix,
  type TagRow,
} from './ecosystem.ts';
import { agents, commonTables, ecosystems, genAi, plainTables } from './ecosystems.ts';
import { type Attributes, presentNames } from './otlp/attributes.ts';

/** The names of attributes to read from an ecosystem's spans: its own first, then those of the other ecosystems. */
export interface Lookup {
  readonly name: string;
  readonly model: readonly string[];
  readonly askedModel: readonly string[];
  readonly besideModel: RegExp | undefined;
  readonly provider: readonly string[];
  readonly counts: Readonly<Record<CountName, readonly string[]>>;
  /** What each of these names counts: the first count that has it. */
  readonly countOf: ReadonlyMap<string, CountName>;
  readonly terms: readonly (readonly [TermName, readonly string[]])[];
  readonly cost: readonly string[];
  readonly ownUsage: readonly string[];
  readonly ownInput: readonly string[];
  readonly addedCounts: readonly string[];
}

/** An ecosystem's decision, with the lookup for its spans. */
export interface Recogniser {
  readonly decision: Ecosystem['decision'];
  readonly lookup: Lookup;
}

/** In the order of decision. */
export const recognisers: readonly Recogniser[] = ecosystems.map((own) => ({
  decision: own.decision,
  lookup: toLookup(own),
}));

/** The names of events of spans that tell of an answer. */
export const answerEvents: ReadonlySet<string> = new Set(ecosystems.flatMap(({ answerEvents: names = [] }) => names));

/** What frameworks and proxies write in place of a provider's name. */
export const frameworks: ReadonlySet<string> = new Set(ecosystems.flatMap(({ frameworks: names = [] }) => names));

/** The emitters that leave cached tokens out of the input count. */
export const excludesCache: readonly Exception[] = ecosystems.flatMap(({ excludesCache: list = [] }) => list);

/** The emitters that leave reasoning out of the output count. */
export const excludesReasoning: readonly Exception[] = ecosystems.flatMap(({ excludesReasoning: list = [] }) => list);

/** The scopes of emitters whose spans of requests may sum several. */
export const summingScopes: ReadonlySet<string> = new Set(ecosystems.flatMap(({ sums }) => sums?.scope ?? []));

/** The scopes of emitters that count the text of streams themselves. */
export const estimatingScopes: ReadonlySet<string> = new Set(
  ecosystems.flatMap(({ estimates }) => estimates?.scope ?? []),
);

/** The scopes of emitters whose spans of some streams end before the request begins. */
export const beginningScopes: ReadonlySet<string> = new Set(
  ecosystems.flatMap(({ beginnings }) => beginnings?.scope ?? []),
);

/** The scopes of the clients of such requests. */
export const servedScopes: ReadonlySet<string> = new Set(
  ecosystems.flatMap(({ beginnings }) => beginnings?.clients ?? []),
);

/** The attributes that tell instrumentations of one scope apart. */
export const instrumentationNames: readonly string[] = ecosystems.flatMap(
  ({ instrumentation }) => instrumentation?.name ?? [],
);

/** The beginnings of the scopes of providers' own clients. */
export const clientScopes: readonly string[] = ecosystems.flatMap(({ client }) => client?.scope ?? []);

function toLookup(own: Ecosystem): Lookup {
  const inOrder = [own, ...ecosystems.filter((other) => other !== own)];
  const collect = (namesOf: (ecosystem: Ecosystem) => readonly string[] | undefined): string[] => [
    ...new Set(inOrder.flatMap((ecosystem) => namesOf(ecosystem) ?? [])),
  ];
  const counts = byName(countNames, (name) => collect((ecosystem) => ecosystem.counts?.[name]));
  return {
    name: own.name,
    model: collect(({ model }) => model),
    askedModel: own.askedModel ?? [],
    besideModel: own.besideModel,
    provider: collect(({ provider }) => provider),
    counts,
    countOf: new Map(countNames.toReversed().flatMap((count) => counts[count].map((name) => [name, count] as const))),
    terms: termNames
      .map((term) => [term, collect(({ terms }) => terms?.[term])] as const)
      .filter(([, names]) => names.length > 0),
    cost: collect(({ cost }) => cost),
    ownUsage: collect(({ ownUsage }) => ownUsage),
    ownInput: collect(({ ownInput }) => ownInput),
    addedCounts: collect(({ addedCounts }) => addedCounts),
  };
}

/** The part of a lookup that these attributes have; it depends on their names alone. */
export function lookupIn(attributes: Attributes, lookup: Lookup): Lookup {
  const find = (names: readonly string[]) => presentNames(attributes, names);
  const { model, askedModel, provider, counts, terms, cost, ownUsage, ownInput, addedCounts } = lookup;
  return {
    ...lookup,
    ...{ model: find(model), askedModel: find(askedModel), provider: find(provider), cost: find(cost) },
    ...{ ownUsage: find(ownUsage), ownInput: find(ownInput), addedCounts: find(addedCounts) },
    counts: byName(countNames, (count) => find(counts[count])),
    terms: terms.map(([term, names]) => [term, find(names)] as const).filter(([, names]) => names.length > 0),
  };
}

/** The owners of a call, with all names for each: the ecosystem's names come before the common ones. */
const toTagRows = (isWeak: boolean): readonly (readonly [TagRow['tag'], readonly string[]])[] =>
  (['customer', 'user', 'session', 'feature'] as const).map((tag) => {
    const rows = ecosystems.flatMap(({ name, tags = [] }) => tags.map((row) => ({ ...row, isCommon: name === genAi })));
    const ofTag = rows.filter((row) => row.tag === tag && (row.isWeak ?? false) === isWeak);
    return [tag, ofTag.sort((a, b) => Number(a.isCommon) - Number(b.isCommon)).flatMap(({ names }) => names)];
  });

export const tagRows = toTagRows(false);

/** The names that libraries have for themselves: they hold where nobody has said otherwise. */
export const weakTagRows = toTagRows(true);

/** The customary names of dimensions as keys of metadata, except those that name one in every event (D4.4). */
export const dimensionKeys: ReadonlyMap<string, TagRow['tag']> = new Map(
  ecosystems
    .find(({ name }) => name === genAi)
    ?.tags?.filter(({ isWeak }) => isWeak === undefined)
    .flatMap(({ tag, names }) =>
      names.filter((name) => name !== tag && !/^(?:customer|user)_id$/.test(name)).map((name) => [name, tag] as const),
    ),
);

export const tagPrefixes: readonly TagPrefix[] = ecosystems.flatMap(({ metadata = [] }) => metadata);

/** The attributes that show that a span tells the usage of a stream whose own span has ended. */
export const followers = ecosystems.flatMap(({ follower }) => follower ?? []);

/** The attributes that show that a call failed. */
export const failures = ecosystems.flatMap(({ failure }) => failure ?? []);

export const metadataObjects: readonly string[] = ecosystems.flatMap(({ metadataObjects: objects }) => objects ?? []);

/** Attributes with this prefix are tags without it: `farthing.customer` is the tag `customer`. */
export const ownPrefix = 'farthing.';

const tellingNames: ReadonlySet<string> = new Set([
  ...ecosystems.flatMap(({ decision: { name, orName = name } }) => [name, orName]),
  ...[...tagRows, ...weakTagRows].flatMap(([, names]) => names),
  ...metadataObjects,
  ...answerEvents,
]);
const tellingPrefixes: readonly string[] = [ownPrefix, ...tagPrefixes.map(({ prefix }) => prefix)];

/** The namespaces of libraries for models. */
const ofLibrary =
  /^(?:gen_ai|llm|ai|mlflow|openai|anthropic|langfuse\.observation|langsmith|litellm|mirascope|braintrust|lk)\./;
/** What in them counts tokens or names the model: no limits, rates, times, prices or settings. */
const ofUsage = /(?:[._]|[a-z](?=[UT]))(?:usage|tokens?)(?:$|[._A-Z])/i;
const ofSetting = /max|limit|budget|settings|time|rate|_per_|Per[A-Z]|cost|price|\.type$/;
const namesModel = /^(?:gen_ai|llm|ai|mlflow)\.(?:(?:request|response|llm)\.)?model(?:[._](?:name|id))?$/;

/** Whether an attribute of this name makes a span look like a request to a model. */
export const isOfModel = remembered(
  (name) => namesModel.test(name) || (ofLibrary.test(name) && ofUsage.test(name) && !ofSetting.test(name)),
);

/** Whether attributes or events of this name decide if a span is a call, or say whose the calls inside it are. */
export const isTelling = remembered(
  (name) => tellingNames.has(name) || tellingPrefixes.some((prefix) => name.startsWith(prefix)) || isOfModel(name),
);

const emitterTables: readonly PlainAttributes[] = [
  ...[...ecosystems, ...agents].flatMap(({ plain }) => plain ?? []),
  ...plainTables,
];
const allTables: readonly PlainAttributes[] = [...emitterTables, ...commonTables];
const namesIn = (rows: Readonly<Record<string, readonly string[] | undefined>> = {}): readonly string[] =>
  Object.values(rows).flatMap((names) => names ?? []);

/** Attributes that are free of content (D14.5): names of models, providers and owners of calls, and those of tables. */
export const plainNames: ReadonlySet<string> = new Set([
  ...ecosystems.flatMap(({ model, provider, tags = [] }) => [
    ...namesIn({ model, provider }),
    ...tags.flatMap(({ names }) => names),
  ]),
  ...agents.flatMap(({ model, user, session }) => [...model, ...user, ...session]),
  ...allTables.flatMap(({ names = [] }) => names),
]);

/** Attributes that are free of content if they are numbers. */
export const plainCounts: ReadonlySet<string> = new Set([
  ...ecosystems.flatMap(({ counts, cost }) => namesIn({ ...counts, cost })),
  ...agents.flatMap(({ counts = {}, usage = {}, elapsedMs }) => [
    ...Object.values(counts),
    ...Object.keys(usage),
    ...elapsedMs,
  ]),
  ...agents.flatMap(({ cost }) => cost ?? []),
]);

/** Attributes that are free of content if they are single words. */
export const plainWords: ReadonlySet<string> = new Set([
  ...ecosystems.flatMap(({ decision, terms }) => [decision.name, ...namesIn(terms)]),
  ...agents.flatMap(({ errorType, requestId = [], speed }) => [
    ...errorType,
    ...requestId,
    ...(speed ? [speed.name] : []),
  ]),
  ...allTables.flatMap(({ words = [] }) => words),
]);

/** Attributes that hold JSON with counts. */
export const countObjects: ReadonlySet<string> = new Set(allTables.flatMap(({ counts = [] }) => counts));

/** The first parts of names under which numbers are free of content. */
export const plainNamespaces: ReadonlySet<string> = new Set(allTables.flatMap(({ namespaces = [] }) => namespaces));

/** The same of libraries for models alone, which no app chooses for its own names. */
export const emitterNamespaces: ReadonlySet<string> = new Set(
  emitterTables.flatMap(({ namespaces = [] }) => namespaces),
);

/** The prefixes of attributes that an app sets to describe a call. */
export const metadataPrefixes: readonly TagPrefix[] = [
  ...tagPrefixes,
  ...allTables.flatMap(({ metadata = [] }) => metadata),
];

/** The names of events of spans that libraries chose. */
export const plainEvents: ReadonlySet<string> = new Set(allTables.flatMap(({ events = [] }) => events));

/** The values that say that a span is one request to a model, in lower case. */
export const operations: ReadonlySet<string> = new Set(ecosystems.flatMap(({ decision }) => [...decision.calls]));

/** The names of spans that libraries chose, and words that such names are made of. */
export const plainSpanNames: ReadonlySet<string> = new Set(allTables.flatMap(({ spanNames = [] }) => spanNames));

/** The names of log records of requests to a model. */
export const agentRecordNames: ReadonlySet<string> = new Set(
  agents.flatMap(({ answered, failed }) => [...answered, ...failed]),
);
