import { type TermName, termNames } from '../lib/units.ts';
import { type CountName, type Ecosystem, type Exception, mapCounts, type TagRow } from './ecosystem.ts';
import { agents, ecosystems } from './ecosystems/index.ts';

/** The names of attributes to read of the spans of an ecosystem: its own first, and then those of the others. */
export interface Lookup {
  readonly name: string;
  readonly model: readonly string[];
  readonly provider: readonly string[];
  readonly counts: Readonly<Record<CountName, readonly string[]>>;
  readonly hourWrites: readonly string[];
  readonly terms: readonly (readonly [TermName, readonly string[]])[];
  readonly cost: readonly string[];
  readonly ownUsage: Ecosystem['ownUsage'];
  readonly failure: Ecosystem['failure'];
  readonly addedCounts: readonly string[];
}

/** An ecosystem's decision, with the lookup for its spans. */
export interface Recogniser {
  readonly decision: Ecosystem['decision'];
  readonly lookup: Lookup;
}

/** In the order in which they decide. */
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
    hourWrites: collect(({ hourWrites }) => hourWrites?.names),
    terms: termNames
      .map((term) => [term, collect(({ terms }) => terms?.[term]?.names)] as const)
      .filter(([, names]) => names.length > 0),
    cost: collect(({ cost }) => cost?.names),
    ownUsage: inOrder.find(({ ownUsage }) => ownUsage !== undefined)?.ownUsage,
    failure: own.failure,
    addedCounts: collect(({ addedCounts }) => addedCounts?.names),
  };
}

/** What a call belongs to, with all names for it: those of an ecosystem come before the common ones. */
export const tagRows: readonly (readonly [TagRow['tag'], readonly string[]])[] = (
  ['customer', 'user', 'session', 'feature'] as const
).map((tag) => {
  const rows = ecosystems.flatMap(({ name, tags = [] }) =>
    tags.map((row) => ({ ...row, isCommon: name === 'gen_ai' })),
  );
  const ofTag = rows.filter((row) => row.tag === tag).sort((a, b) => Number(a.isCommon) - Number(b.isCommon));
  return [tag, ofTag.flatMap(({ names }) => names)];
});

export const metadataPrefixes: readonly string[] = ecosystems.flatMap(({ metadata = [] }) =>
  metadata.map(({ prefix }) => prefix),
);

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
