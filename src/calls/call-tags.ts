/** The column of a call that each tag fills, if the tag is set (D4.4). */
const columnsByTag = { customer: 'customer', user: 'user', feature: 'feature', run_id: 'run' } as const;

type TagColumn = (typeof columnsByTag)[keyof typeof columnsByTag];

const pairs = Object.entries(columnsByTag) as [keyof typeof columnsByTag, TagColumn][];

/**
 * The tags of a call as `calls` stores them. A tag that repeats its column is stored with an empty text, to save space.
 * This is unambiguous, because these tags are never sent empty (D3.4).
 */
export function shortenTags(
  tags: Readonly<Record<string, string>>,
  columns: Readonly<Record<TagColumn, string>>,
): Record<string, string> {
  const shortened = { ...tags };
  for (const [tag, name] of pairs) if (tags[tag] === columns[name]) shortened[tag] = '';
  return shortened;
}

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
