import { z } from 'zod';
import { dimensions, namedDimensions } from '../lib/dimensions.ts';
import { parseJson } from '../lib/json.ts';
import { storableText } from '../lib/tag-map.ts';

/** The most tags of calls that a project can name as dimensions: each takes rows of every sealed day (D28.3). */
const mostTags = 8;

/** Tags that fill a dimension or the run of a call, which are rolled up anyway. */
const dimensionTags: ReadonlySet<string> = new Set([
  ...namedDimensions.flatMap((name) => dimensions[name].tags),
  'run',
  'run_id',
]);

/** The keys of tags of calls that are rolled up as dimensions are. */
export const tagDimensionsField = z
  .array(
    storableText(128).refine((key) => !dimensionTags.has(key), {
      error: 'is a tag that names a dimension or a run, which is rolled up anyway',
    }),
  )
  .max(mostTags, { error: `must have at most ${mostTags} tags` })
  .superRefine((keys, context) => {
    for (const [index, key] of keys.entries()) {
      if (keys.indexOf(key) === index) continue;
      context.addIssue({
        code: 'custom',
        path: [index],
        message: 'must not be repeated',
        params: { code: 'duplicate' },
      });
    }
  });

/** As the control store has them: equal texts are of equal tags. */
export const spellTagDimensions = (keys: readonly string[]): string => JSON.stringify(keys.toSorted());

export const readTagDimensions = (text: string): readonly string[] => parseJson(text) as string[];
