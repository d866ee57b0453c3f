import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { termNames } from '../lib/units.ts';
import { type Snapshot, snapshotOf } from './catalogue.ts';
import { correction, model } from './catalogue-data.ts';
import { reviewedFolder } from './price-file.ts';
import { supplement } from './supplement-data.ts';

const values = z.array(z.string()).min(1);

/** A file of reviewed prices: all of one provider, whose name its items need not repeat. A test checks each, not every start. */
export const reviewedFile = z
  .strictObject({
    /** The catalogue's name of it. */
    provider: z.string(),
    /** Values of terms that a `when` takes by their name, so that a list of regions is written once. */
    sets: z.record(z.string(), values).default({}),
    corrections: z.array(correction.omit({ provider: true }).extend({ model: model.strict() })).default([]),
    supplements: z
      .array(
        supplement
          .omit({ kind: true, providers: true })
          .extend({ when: z.partialRecord(z.enum(termNames), z.union([z.string(), values])).optional() }),
      )
      .default([]),
  })
  .superRefine(({ sets, supplements }, context) => {
    for (const [index, { when = {} }] of supplements.entries()) {
      for (const [term, some] of Object.entries(when)) {
        if (typeof some !== 'string' || some in sets) continue;
        context.addIssue({
          code: 'custom',
          path: ['supplements', index, 'when', term],
          message: `there is no set ${some}; add it to sets, or list the values`,
        });
      }
    }
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

type ReviewedFile = z.input<typeof reviewedFile>;

function readInstalled(): Snapshot {
  const files = readdirSync(reviewedFolder)
    .toSorted()
    .map((name) => parseJson(readFileSync(new URL(name, reviewedFolder), 'utf8')) as ReviewedFile);
  return snapshotOf([
    ...files.flatMap(({ provider, corrections = [] }) => corrections.map((item) => ({ provider, ...item }))),
    ...files.flatMap(({ provider, sets = {}, supplements = [] }) =>
      supplements.map(({ when, ...item }) => ({
        kind: 'supplement',
        providers: [provider],
        ...item,
        ...(when && {
          when: Object.fromEntries(
            Object.entries(when).map(([name, some]) => [name, (typeof some === 'string' && sets[some]) || some]),
          ),
        }),
      })),
    ),
  ]);
}
