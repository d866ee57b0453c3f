import { type TermName, termNames } from '../lib/units.ts';
import { type CountName, type Ecosystem, type Exception, mapCounts, type TagPrefix, type TagRow } from './ecosystem.ts';
import { agents, ecosystems } from './ecosystems/index.ts';

/** The names of attributes to read from an ecosystem's spans: its own first, then those of the other ecosystems. */
export interface Lookup {
  readonly name: string;
  readonly model: readonly string[];
  readonly provider: readonly string[];
  readonly counts: Readonly<Record<CountName, readonly string[]>>;
  readonly terms: readonly (readonly [TermName, readonly string[]])[];
  readonly cost: readonly string[];
  readonly innerTerms: NonNullable<Ecosystem['innerTerms']>;
  readonly ownUsage: Ecosystem['ownUsage'];
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

/** The attributes of which every call has at least one. */
export const decidingNames: ReadonlySet<string> = new Set(ecosystems.map(({ decision }) => decision.name));

/** The emitters that leave cached tokens out of the input count. */
export const exceptions: readonly Exception[] = ecosystems.flatMap(({ excludesCache = [] }) => excludesCache);

function toLookup(own: Ecosystem): Lookup {
  const inOrder = [own, ...ecosystems.filter((other) => other !== own)];
  const collect = (namesOf: (ecosystem: Ecosystem) => readonly string[] | undefined): string[] => [
    ...new Set(inOrder.flatMap((ecosystem) => namesOf(ecosystem) ?? [])),
  ];
  return {
    name: own.name,
    model: collect(({ model }) => model?.names),
    provider: collect(({ provider }) => provider?.names),
    counts: mapCounts((name) => collect(({ counts }) => counts?.[name]?.names)),
    terms: termNames
      .map((term) => [term, collect(({ terms }) => terms?.[term]?.names)] as const)
      .filter(([, names]) => names.length > 0),
    cost: collect(({ cost }) => cost?.names),
    innerTerms: inOrder.flatMap(({ innerTerms = [] }) => innerTerms),
    ownUsage: inOrder.find(({ ownUsage }) => ownUsage !== undefined)?.ownUsage,
    addedCounts: collect(({ addedCounts }) => addedCounts?.names),
  };
}

/** The owners of a call, with all names for each: the ecosystem's names come before the common ones. */
export const tagRows: readonly (readonly [TagRow['tag'], readonly string[]])[] = (
  ['customer', 'user', 'session', 'feature'] as const
).map((tag) => {
  const rows = ecosystems.flatMap(({ name, tags = [] }) =>
    tags.map((row) => ({ ...row, isCommon: name === 'gen_ai' })),
  );
  const ofTag = rows.filter((row) => row.tag === tag).sort((a, b) => Number(a.isCommon) - Number(b.isCommon));
  return [tag, ofTag.flatMap(({ names }) => names)];
});

export const metadataPrefixes: readonly TagPrefix[] = ecosystems.flatMap(({ metadata = [] }) => metadata);

/** An emitter's names for the lifetimes of cache writes. */
export const cacheLifetimes = ecosystems.flatMap(({ cacheLifetimes: lifetimes }) => lifetimes ?? []);

/** The attributes that show that a call failed. */
export const failures = ecosystems.flatMap(({ failure }) => failure ?? []);

export const metadataObjects: readonly string[] = ecosystems.flatMap(
  ({ metadataObjects: objects }) => objects?.names ?? [],
);

const contentNames = [
  ...ecosystems.flatMap(({ content }) => content?.names ?? []),
  ...agents.flatMap(({ content }) => content),
];

/** Attributes that carry content: whole names. */
export const contentAttributes: ReadonlySet<string> = new Set(contentNames.filter((name) => !name.endsWith('.')));

/** The beginnings of names of attributes that carry content. */
export const contentPrefixes: readonly string[] = [...new Set(contentNames.filter((name) => name.endsWith('.')))];
