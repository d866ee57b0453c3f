import { compareCodePoints } from '../../../lib/code-points.ts';
import { divideHalfEven } from '../../../lib/money.ts';
import type { StripeCharge, StripeCreditNote, StripeInvoice } from './objects.ts';

/** A refund that no credit note covers, in whole minor units, net of tax. */
export interface Refund {
  readonly charge: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly net: bigint;
}

/** A refund while it is being covered by credit notes. */
interface Step {
  readonly charge: string;
  readonly time: number;
  /** The part that no credit note covers yet, with tax. */
  left: number;
}

/**
 * The refunds of an invoice's charges that no credit note covers. Stripe gives the sum refunded so far; each rise of it
 * is one refund. A credit note covers the refund of the same amount, or else the earliest refunds.
 */
export function listUncovered(
  invoice: StripeInvoice,
  creditNotes: readonly StripeCreditNote[],
  charges: readonly StripeCharge[],
): Refund[] {
  const steps = charges.flatMap(listSteps).sort((a, b) => a.time - b.time || compareCodePoints(a.charge, b.charge));
  const open: number[] = [];
  for (const { refunded, issuedAt } of creditNotes) {
    const same = steps
      .filter(({ left }) => left > 0 && left === refunded)
      .sort((a, b) => Math.abs(a.time - issuedAt) - Math.abs(b.time - issuedAt))[0];
    if (same) same.left = 0;
    else open.push(refunded);
  }
  let covered = open.reduce((sum, refunded) => sum + refunded, 0);
  for (const step of steps) {
    const part = Math.min(Math.max(step.left, 0), covered);
    step.left -= part;
    covered -= part;
  }
  return netOfTax(steps, invoice);
}

function listSteps({ id, refunds }: StripeCharge): Step[] {
  let before = 0;
  const steps: Step[] = [];
  for (const [time, sum] of refunds) {
    if (sum !== before) steps.push({ charge: id, time, left: sum - before });
    before = sum;
  }
  return steps;
}

/** Deducts tax from each refund in the invoice's ratio. Rounds sums, not parts, so that a full refund is exact. */
function netOfTax(steps: readonly Step[], { total, net }: StripeInvoice): Refund[] {
  if (total <= 0) return [];
  const toNet = (gross: number) => divideHalfEven(BigInt(gross) * BigInt(net), BigInt(total));
  let gross = 0;
  return steps.map(({ charge, time, left }) => {
    const before = toNet(gross);
    gross += left;
    return { charge, time, net: toNet(gross) - before };
  });
}
