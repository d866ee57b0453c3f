import { type Dimension, isTagged, type TaggedDimension } from '../../lib/dimensions.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { selectMatching } from './sql.ts';

/** How many names a search reads at once. Many, because few of them match. */
const searchedAtOnce = 5_000;

export interface KnownNamesQuestion {
  readonly dimension: Dimension;
  readonly search: string;
  readonly after: string | undefined;
  readonly most: number;
}

/** Reads at most `most` names after one, in code-point order. */
type NamesReader = (after: string | undefined, most: number) => Promise<string[]>;

/** Names with tags, and customers with revenue, even without calls: at least the first `most`, in no order. */
export async function readKnownNames(
  { store, control }: Pick<AnswerSources, 'store' | 'control'>,
  projectId: string,
  { dimension, search, after, most }: KnownNamesQuestion,
): Promise<string[]> {
  const readers: NamesReader[] = [];
  if (isTagged(dimension)) readers.push(tagged(control, projectId, dimension));
  if (dimension === 'customer') readers.push(withRevenue(control, projectId));
  const matching = async (names: string[]): Promise<string[]> => {
    if (search === '' || names.length === 0) return names;
    const { sql, parameters } = selectMatching(names, search);
    return (await store.select<{ name: string }>(sql, parameters)).map(({ name }) => name);
  };

  const found: string[] = [];
  for (const readNames of readers) {
    const atOnce = search === '' ? most : searchedAtOnce;
    let count = 0;
    let last = after === undefined ? undefined : beforeNul(after);
    for (;;) {
      const names = await readNames(last, atOnce);
      const kept = await matching(names);
      found.push(...kept);
      count += kept.length;
      last = names.at(-1);
      if (count >= most || names.length < atOnce) break;
    }
  }
  return found;
}

/** PostgreSQL rejects a NUL. No stored name has one, so what comes after the part before it is the same. */
const beforeNul = (name: string): string => name.split('\0', 1)[0] ?? '';

const tagged =
  (control: ControlStore, projectId: string, dimension: TaggedDimension): NamesReader =>
  async (after, most) => {
    const rows = await control
      .selectFrom('dimension_tags')
      .select('name')
      .distinct()
      .where('project_id', '=', projectId)
      .where('dimension', '=', dimension)
      .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
      .orderBy('name')
      .limit(most)
      .execute();
    return rows.map(({ name }) => name);
  };

const withRevenue =
  (control: ControlStore, projectId: string): NamesReader =>
  async (after, most) => {
    const rows = await control
      .selectFrom('revenue_entries')
      .select('customer')
      .distinct()
      .where('project_id', '=', projectId)
      .$if(after !== undefined, (query) => query.where('customer', '>', after ?? ''))
      .orderBy('customer')
      .limit(most)
      .execute();
    return rows.map(({ customer }) => customer);
  };
