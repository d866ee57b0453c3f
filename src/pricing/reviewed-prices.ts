import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { type Snapshot, snapshotOf } from './catalogue.ts';
import { reviewedFolder } from './price-file.ts';

const values = z.array(z.string());

/** A file of reviewed prices: all of one provider. Opening a price book checks each item whole (`correctionsData`). */
const reviewedFile = z.strictObject({
  /** The catalogue's name of it. */
  provider: z.string(),
  /** Values of terms that a `when` takes by their name, so that a list of regions is written once. */
  sets: z.record(z.string(), values).default({}),
  corrections: z.array(z.looseObject({})).default([]),
  supplements: z
    .array(z.looseObject({ when: z.record(z.string(), z.union([z.string(), values])).optional() }))
    .default([]),
});

/**
 * The reviewed prices of this version of Farthing, which are stored with every new price book, so that changing them
 * changes no past number (D5.5, D5.7): corrections of the catalogue's wrong, stale and missing entries, and supplements with the
 * prices of units and terms, which the catalogue lacks (D26.2). Each names the page that supports it: the provider's own where
 * a copy could be read, otherwise one that quotes it. Remove a correction when the catalogue is right.
 */
export function currentCorrections(): Snapshot {
  installed ??= readInstalled();
  return installed;
}

let installed: Snapshot | undefined;

function readInstalled(): Snapshot {
  const files = readdirSync(reviewedFolder)
    .toSorted()
    .map((name) => reviewedFile.parse(parseJson(readFileSync(new URL(name, reviewedFolder), 'utf8'))));
  return snapshotOf([
    ...files.flatMap(({ provider, corrections }) => corrections.map((item) => ({ provider, ...item }))),
    ...files.flatMap(({ provider, sets, supplements }) =>
      supplements.map(({ when, ...item }) => ({
        kind: 'supplement',
        providers: [provider],
        ...item,
        // A name without a set stays a text, which no book opens with.
        ...(when && {
          when: Object.fromEntries(
            Object.entries(when).map(([name, some]) => [name, (typeof some === 'string' && sets[some]) || some]),
          ),
        }),
      })),
    ),
  ]);
}
