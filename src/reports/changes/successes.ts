import type { Group, Side } from './group.ts';
import { type Half, toHalf } from './shapley.ts';

/** A half of the factors, as whole numbers with a common denominator. */
export interface ScaledHalf {
  readonly values: Half;
  readonly denominator: bigint;
}

interface Ratio {
  readonly part: bigint;
  readonly whole: bigint;
}

/**
 * The successful calls of a group: the owner's calls × the group's share of them × the share that succeeded. A share of
 * zero calls is unknown, so the share of the other range is used.
 */
export function countSuccesses({ before, now }: Group): ScaledHalf {
  const [mixBefore, mixNow] = fill(
    { part: before.totals.calls, whole: before.ownerCalls },
    { part: now.totals.calls, whole: now.ownerCalls },
  );
  const [okBefore, okNow] = fill(
    { part: successesOf(before), whole: before.totals.calls },
    { part: successesOf(now), whole: now.totals.calls },
  );
  const values = toHalf(([calls, mix, failures]) => {
    const ownerCalls = calls ? now.ownerCalls : before.ownerCalls;
    const share = mix ? mixNow.part * mixBefore.whole : mixBefore.part * mixNow.whole;
    const ok = failures ? okNow.part * okBefore.whole : okBefore.part * okNow.whole;
    return ownerCalls * share * ok;
  });
  return { values, denominator: mixBefore.whole * mixNow.whole * okBefore.whole * okNow.whole };
}

/** The calls by which a side's cost is divided: those that succeeded, or all calls if only failed ones have a cost. */
export function successesOf({ totals: { calls, failed, cost } }: Side): bigint {
  return calls === failed && cost !== 0n ? calls : calls - failed;
}

/** Replaces an unknown ratio by that of the other range. */
const fill = (before: Ratio, now: Ratio): readonly [Ratio, Ratio] => [
  before.whole === 0n ? now : before,
  now.whole === 0n ? before : now,
];
