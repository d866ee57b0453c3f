import type { DifferencePart, PartKind, ReconciliationRow } from '../api/types.ts';
import type { WaterfallStep } from '../charts/waterfall.tsx';
import { toCount, toName } from '../lib/format.ts';
import type { ReconciledBy } from '../state/search.ts';

export const partLabels: Readonly<Record<PartKind, string>> = {
  timing: 'Days that differ',
  unpriced: 'Calls that count as $0',
  not_seen: 'Invoiced, not seen here',
  not_invoiced: 'Seen here, not invoiced',
  price: 'Another price',
  discount: 'Discount',
  credit: 'Credit',
  tax: 'Tax',
  rest: 'The rest',
};

/** A part with its place among the parts of its row: there may be several of a kind. */
export interface PlacedPart extends DifferencePart {
  readonly id: string;
  readonly label: string;
}

export const placeParts = (parts: readonly DifferencePart[]): PlacedPart[] =>
  parts.map((part, index) => ({
    ...part,
    id: `${index} ${part.kind}`,
    label: part.override ? `${partLabels[part.kind]}: ${toName(part.override.model)}` : partLabels[part.kind],
  }));

/** Whether no call of a row has a price, so that what is computed says nothing. The row of all together has no name. */
export function isUnpricedRow(
  row: ReconciliationRow,
  by: ReconciledBy,
  unpriced: ReadonlySet<string> | undefined,
): boolean {
  const name = row[by];
  return row.computed === 0 && unpriced !== undefined && (name === undefined ? unpriced.size > 0 : unpriced.has(name));
}

/** The steps from what is computed to what is invoiced. */
export function toPartSteps({ computed, invoiced, parts }: ReconciliationRow, isUnpriced: boolean): WaterfallStep[] {
  let level = computed;
  const steps = placeParts(parts).map(({ id, label, amount, calls }): WaterfallStep => {
    const from = level;
    level += amount;
    const note = calls === undefined ? undefined : `${toCount(calls)} ${calls === 1 ? 'call' : 'calls'}`;
    return { id, label, note, from, to: level, isTotal: false };
  });
  return [{ ...toTotal('Computed', computed), isUnpriced }, ...steps, toTotal('Invoiced', invoiced)];
}

const toTotal = (label: string, amount: number): WaterfallStep => ({
  id: `total ${label}`,
  label,
  from: 0,
  to: amount,
  isTotal: true,
});
