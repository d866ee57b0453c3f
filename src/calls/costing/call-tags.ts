import { type NamedDimension, namedDimensions } from '../../lib/dimensions.ts';

type TagColumn = NamedDimension | 'run';

/** Each tag that fills a column of a call whenever it is set, and that column (D4.4). */
const pairs: readonly (readonly [tag: string, column: TagColumn])[] = [
  ...namedDimensions.map((name) => [name, name] as const),
  ['run_id', 'run'],
];

/** As `calls` stores them: a tag that repeats its column is an empty text, which is never sent (D3.4). */
export function shortenTags(
  tags: Readonly<Record<string, string>>,
  columns: Readonly<Record<TagColumn, string>>,
): Record<string, string> {
  const shortened = { ...tags };
  for (const [tag, name] of pairs) if (tags[tag] === columns[name]) shortened[tag] = '';
  return shortened;
}

/** The tags whose text may stand in a column. */
export const tagsOfColumns: readonly string[] = pairs.map(([tag]) => tag);

/** SQL for the full text of a tag of a call, from its key `tag` and its stored text `value`. */
export const tagText = `multiIf(value != '', value, ${pairs
  .map(([tag, name]) => `tag = '${tag}', ${name}`)
  .join(', ')}, '')`;

/** SQL for the tags of a call with their full texts. */
export const callTags = `mapApply((tag, value) -> (tag, ${tagText}), tags)`;

/** SQL for the text of one tag of a call that has it. `name` is the SQL expression for the tag's key. */
export function callTag(tag: string, name: string): string {
  const [, column] = pairs.find(([key]) => key === tag) ?? [];
  return column === undefined ? `tags[${name}]` : `if(tags[${name}] = '', ${column}, tags[${name}])`;
}
