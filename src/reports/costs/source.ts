import { tagsOfColumns } from '../../calls/costing/call-tags.ts';
import type { Generations } from '../../calls/generations.ts';
import { callDimensions } from '../../lib/dimensions.ts';
import { dimensionsOf, type Grain, isRunGrain, type RunGrain } from '../../rollups/rollups/grains.ts';
import { runCellEntries } from '../../storage/analytic/tables/rollups.ts';
import { resolveGrain } from '../asking/cells.ts';
import { dimensionOf, tagOfCalls } from '../asking/group.ts';
import type { RowGrain } from '../asking/run-cells.ts';
import { type CostsQuestion, listDimensions, needsCalls } from './parse.ts';

/** Cells of a grain whose feature runs are those of the rows (D6.7). */
export interface OfCells {
  readonly of: 'cells';
  readonly grain: RunGrain;
  /** The same with provider and model, which net costs need; undefined if there is none. */
  readonly netGrain: Grain | undefined;
  /** Whether a row can have several cells of one run. */
  readonly isCrossing: boolean;
}

/** The runs of sealed days and the calls of open days, made into cells of a grain. */
export interface OfRuns {
  readonly of: 'runs';
  readonly grain: RowGrain;
  readonly isCrossing: boolean;
}

/** Chooses what the rows of an answer are made of: cells if a grain fits the question, otherwise runs or calls. */
export function chooseSource(
  question: CostsQuestion,
  { pinned }: Pick<Generations, 'pinned'>,
  hasTagCells: boolean,
): OfCells | OfRuns | { readonly of: 'calls' } {
  const { groupBy, granularity, applyCredits } = question;
  const grain = resolveRunGrain(question, hasTagCells);
  const netGrain = resolveGrain(new Set([...listDimensions(question), 'provider', 'model']), { withRuns: false });
  if (grain && (!applyCredits || netGrain)) {
    const hasCustomers = dimensionsOf(grain).includes('customer');
    const isCrossing = granularity !== 'day' || (hasCustomers && groupBy !== 'customer');
    return { of: 'cells', grain, netGrain, isCrossing };
  }
  const { key } = tagOfCalls(groupBy) ?? {};
  // Rows of runs have no tags of runs, and of calls' tags those of columns have no entries.
  if (question.filters.runTags || pinned || (key !== undefined && tagsOfColumns.includes(key))) return { of: 'calls' };
  // A run has a row for each of its days and customers.
  const isCrossing = granularity !== 'day' || groupBy !== 'customer';
  return { of: 'runs', grain: key === undefined ? (dimensionOf(groupBy) ?? 'total') : 'tag', isCrossing };
}

/** The grain whose feature runs are those of the rows (D6.7); undefined if there is none. */
function resolveRunGrain(question: CostsQuestion, hasTagCells: boolean): RunGrain | undefined {
  const { groupBy, filters } = question;
  if (needsCalls(question, hasTagCells)) return undefined;
  const grain = resolveGrain(listDimensions(question), { withRuns: true });
  if (!grain || !isRunGrain(grain)) return undefined;
  // Cells by model, say, count a run once for each of its models, so a row must have only one model.
  const several = callDimensions.find((name) => name === grain && runCellEntries.has(name));
  return !several || groupBy === several || filters.values.get(several)?.length === 1 ? grain : undefined;
}
