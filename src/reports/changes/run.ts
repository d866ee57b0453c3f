import type { Project } from '../../accounts/projects.ts';
import { dayOf, earlierOf, type Period, startOfDay } from '../../lib/days.ts';
import type { BookInForce, PriceBooks } from '../../pricing/books/price-books.ts';
import { dimensionOf, readNamesOfGroup } from '../asking/group.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { readNow } from '../facts/as-of.ts';
import { openListPrices } from './list-prices.ts';
import type { ChangesQuestion } from './parse.ts';
import { type RankedBy, rankBy, sumChanges, toAmounts } from './rank.ts';
import { readGroups } from './read-groups.ts';
import { splitGroups } from './split-groups.ts';
import type { Owner } from './sql.ts';

export type ChangesSources = AnswerSources & {
  readonly priceBooks: Pick<PriceBooks, 'ofProject' | 'furtherInForce'>;
};

/** What changed and why (README.md). @throws Problem `beyond_retention` when calls that it needs are deleted */
export async function runChanges(project: Project, question: ChangesQuestion, sources: ChangesSources) {
  const { ranges, groupBy, limit } = question;
  const asOf = await readNow(sources.control, project);
  const [records, { newest: book }, names] = await Promise.all([
    readGroups(asOf, question, sources),
    sources.priceBooks.ofProject(project.id),
    groupBy && dimensionOf(groupBy) && readNamesOfGroup(asOf.facts, groupBy),
  ]);
  const now = sources.clock();
  const pricesBefore = openListPrices(book.opened, lastDayOf(ranges.before, book, now));
  const pricesNow = openListPrices(book.opened, lastDayOf(ranges.now, book, now));
  const split = async (owner: Owner) =>
    await splitGroups(owner, {
      before: { records: records.before[owner], pricesOf: pricesBefore },
      now: { records: records.now[owner], pricesOf: pricesNow },
    });
  const ofCustomers = await split('customer');
  const ofFeatures = await split('feature');
  // A customer has one value of its tags, so its parts are those of the whole. A tag of calls is split as features are.
  const byTag = names
    ? rankBy('tag', ofCustomers, ({ owner }) => names.groupOf(owner), limit)
    : rankBy('tag', groupBy ? await split('tag') : [], ({ owner }) => owner, limit);
  return {
    date_from: ranges.now.dateFrom,
    date_to: ranges.now.dateTo,
    before_from: ranges.before.dateFrom,
    before_to: ranges.before.dateTo,
    hours: question.hours ?? null,
    ...toAmounts(sumChanges(ofCustomers)),
    ...({
      by_customer: rankBy('customer', ofCustomers, ({ owner }) => owner, limit),
      by_model: rankBy('model', ofCustomers, ({ model }) => model, limit),
      by_feature: rankBy('feature', ofFeatures, ({ owner }) => owner, limit),
    } satisfies RankedBy<unknown>),
    ...(groupBy && { by_tag: byTag }),
  };
}

/** The last day of a range, or today if it is earlier: a price that starts tomorrow applies to no call. */
function lastDayOf({ dateTo }: Period, { timezone }: BookInForce, now: number) {
  const day = earlierOf(dateTo, dayOf(timezone, now));
  return { day, time: startOfDay(timezone, day) };
}
