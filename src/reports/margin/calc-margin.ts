import { divideToNumber, parseDecimal, type WideMoney } from '../../lib/money.ts';

export const riskStatuses = ['healthy', 'at_risk', 'unprofitable'] as const;
type RiskStatus = (typeof riskStatuses)[number];

export interface Margin {
  readonly margin: WideMoney;
  /** Percent of the revenue: the double nearest to the exact quotient. */
  readonly marginPct: number;
  readonly riskStatus: RiskStatus;
}

/** Revenue less cost (D8.2, D8.3). `atRiskBelowPct` is compared with the exact percentage, not its double. */
export function calcMargin(revenue: WideMoney, cost: WideMoney, atRiskBelowPct: number | null): Margin {
  const margin = revenue - cost;
  return {
    margin,
    marginPct: calcMarginPct(margin, revenue),
    riskStatus: resolveRiskStatus(margin, revenue, atRiskBelowPct),
  };
}

function calcMarginPct(margin: WideMoney, revenue: WideMoney): number {
  if (revenue > 0n) return divideToNumber(100n * margin, revenue);
  return margin === 0n ? 0 : -100;
}

function resolveRiskStatus(margin: WideMoney, revenue: WideMoney, atRiskBelowPct: number | null): RiskStatus {
  if (margin < 0n) return 'unprofitable';
  if (revenue > 0n && atRiskBelowPct !== null && isBelow(margin, revenue, atRiskBelowPct)) return 'at_risk';
  return 'healthy';
}

/** Compares exactly: the percentage is the shortest decimal of the double. */
function isBelow(margin: WideMoney, revenue: WideMoney, percent: number): boolean {
  const threshold = parseDecimal(percent);
  if (threshold === null) return false;
  return 100n * margin * 10n ** BigInt(threshold.scale) < threshold.mantissa * revenue;
}
