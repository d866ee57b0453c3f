import type { Project } from '../../accounts/projects.ts';
import { resolveRun } from '../../calls/attribution.ts';
import { type CostedMerge, costMergedCall } from '../../calls/costing/cost-calls.ts';
import { readGenerations } from '../../calls/generations.ts';
import { wrappedCallOf } from '../../calls/joins/wrapper.ts';
import type { MergedCall } from '../../calls/merging/merge.ts';
import { dayOf } from '../../lib/days.ts';
import { parseMoney } from '../../lib/money.ts';
import type { BookInForce, PriceBooks } from '../../pricing/books/price-books.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { toCall } from './call.ts';
import { toExplanation } from './explanation.ts';
import type { CallRecord } from './sql.ts';

/** A wrapper with its explanation (D14.3), made from its events: none is stored. Undefined for other calls. */
export async function explainWrapper(
  project: Project,
  call: MergedCall,
  { control, priceBooks }: { readonly control: ControlStore; readonly priceBooks: PriceBooks },
) {
  const wraps = wrappedCallOf(call);
  if (wraps === undefined) return undefined;
  const { timezone } = await readGenerations(control, project.id);
  const books = await priceBooks.ofProject(project.id);
  const priceBook = books.of({ firstReceivedAt: call.firstReceivedAtMs, time: call.timeMs });
  const costed = costMergedCall(call, priceBook);
  return {
    ...toCall(toRecord(call, costed, { timezone, priceBook }), { withNetCost: false }),
    explanation: toExplanation({
      gross: 0n,
      cost: costed.cost,
      isReproduced: true,
      priceBook,
      covered: 0n,
      costElsewhere: parseMoney(call.fields.reported_cost ?? ''),
      wraps,
      reports: [],
    }),
  };
}

function toRecord(
  call: MergedCall,
  { dimensions, cost, costed: { terms } }: CostedMerge,
  { timezone, priceBook }: { readonly timezone: string; readonly priceBook: BookInForce },
): CallRecord {
  const { eventId, ordinal, timeMs, tags, failed, fields } = call;
  return {
    id: eventId,
    ordinal,
    on_day: dayOf(timezone, timeMs),
    time_ms: String(timeMs),
    ...dimensions,
    provider: cost.provider,
    run: resolveRun(call, { eventId, ordinal }),
    call_tags: tags,
    failed,
    aborted: fields.aborted === 'true',
    elapsed_ms: fields.elapsed_ms === undefined ? null : Number(fields.elapsed_ms),
    gross_cost: '0',
    net_cost: '0',
    cost_source: cost.source,
    unpriced_reason: '',
    price_book: priceBook.id,
    tokens: [],
    units: {},
    terms,
    partly_priced: [],
  };
}
