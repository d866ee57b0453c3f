/** The columns of a call by the tags that they are taken from first (D4.4). */
const columnsByTag = { customer: 'customer', user: 'user', feature: 'feature', run_id: 'run' } as const;

type TagColumn = (typeof columnsByTag)[keyof typeof columnsByTag];

const pairs = Object.entries(columnsByTag) as [keyof typeof columnsByTag, TagColumn][];

/**
 * The tags of a call as `calls` holds them: what a column of the call says too is not said twice. Such a tag has an empty text
 * there, which none was sent with (D3.4).
 */
export function shortenTags(
  tags: Readonly<Record<string, string>>,
  columns: Readonly<Record<TagColumn, string>>,
): Record<string, string> {
  const shortened = { ...tags };
  for (const [tag, name] of pairs) if (tags[tag] === columns[name]) shortened[tag] = '';
  return shortened;
}

/** SQL for the tags of a call, each with its text. */
export const callTags = `mapApply((tag, value) -> (tag, multiIf(value != '', value, ${pairs
  .map(([tag, name]) => `tag = '${tag}', ${name}`)
  .join(', ')}, '')), tags)`;

/** SQL for the text of one tag of a call that has it; `name` is what the SQL calls the tag by. */
export function callTag(tag: string, name: string): string {
  const [, column] = pairs.find(([key]) => key === tag) ?? [];
  return column === undefined ? `tags[${name}]` : `if(tags[${name}] = '', ${column}, tags[${name}])`;
}
