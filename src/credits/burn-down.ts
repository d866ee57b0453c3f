import type { Day } from '../lib/days.ts';
import { type Money, type WideMoney, widen } from '../lib/money.ts';

/** What a free credit grant covers, and how much of it (D7.1). */
export interface CreditTerms {
  readonly id: string;
  /** Matches without regard to case. */
  readonly provider: string;
  /** Names of models, or the starts of names where they end in `*`; null matches every model. */
  readonly models: readonly string[] | null;
  /** US dollars, above 0. */
  readonly amount: Money;
  /** First and last day, both inclusive; a null expiry is none. */
  readonly startsOn: Day;
  readonly expiresOn: Day | null;
  /** Lower is used sooner. */
  readonly priority: number;
}

/** What all calls of a project to one model of one provider cost on a day, before credits. At least 0. */
export interface DailyGross {
  readonly day: Day;
  readonly provider: string;
  readonly model: string;
  readonly cost: Money;
}

/** The part of a cost that credits cover, in units of 1e-18: from 1 to `wholeShare`. */
export interface CoveredShare {
  readonly day: Day;
  readonly provider: string;
  readonly model: string;
  readonly covered: bigint;
}

/** What a grant was used for: the exact sum of its discounts. Days without any are left out. */
export interface GrantUse {
  readonly total: WideMoney;
  readonly byDay: ReadonlyMap<Day, WideMoney>;
}

export interface BurnDown {
  /** In order of day; what credits cover nothing of is left out. */
  readonly shares: readonly CoveredShare[];
  /** By the id of the grant, every grant. */
  readonly uses: ReadonlyMap<string, GrantUse>;
}

/** All of a cost, in units of covered shares: fractions have 18 digits (D7.3). */
const wholeShare = 10n ** 18n;

/**
 * Uses grants day by day for what a project's calls cost (D7.2, D7.3). README.md has the rules in their order, with an example.
 * The costs are those of the *whole* project from the earliest start of a grant on, one row for each day, provider and model.
 */
export function calcBurnDown(grants: readonly CreditTerms[], costs: readonly DailyGross[]): BurnDown {
  const credits = grants.toSorted(compareGrants).map(
    (grant): Credit => ({
      grant,
      provider: grant.provider.toLowerCase(),
      left: widen(grant.amount),
      byDay: new Map(),
    }),
  );
  const creditsFor = rememberMatches(credits);
  const shares: CoveredShare[] = [];
  for (const [day, costsOfDay] of groupByDay(costs)) {
    const cells = costsOfDay.flatMap(({ provider, model, cost }): Cell[] => {
      const matching = creditsFor(provider, model);
      return cost > 0n && matching.size > 0 ? [{ provider, model, cost, matching, left: wholeShare }] : [];
    });
    for (const credit of credits) {
      if (cells.every(({ left }) => left === 0n)) break;
      if (credit.left > 0n && isValidOn(credit.grant, day)) useOnDay(credit, day, cells);
    }
    for (const { provider, model, left } of cells) {
      if (left < wholeShare) shares.push({ day, provider, model, covered: wholeShare - left });
    }
  }
  return {
    shares,
    uses: new Map(
      credits.map(({ grant, left, byDay }) => [grant.id, { total: widen(grant.amount) - left, byDay }] as const),
    ),
  };
}

/** The day from which on costs decide what grants were used for, or undefined without grants. */
export const calcEarliestStart = (grants: readonly CreditTerms[]): Day | undefined =>
  grants.map(({ startsOn }) => startsOn).sort(compareText)[0];

/** A grant while it is used up. */
interface Credit {
  readonly grant: CreditTerms;
  readonly provider: string;
  left: WideMoney;
  readonly byDay: Map<Day, WideMoney>;
}

/** A cost of the day while it is covered. */
interface Cell {
  readonly provider: string;
  readonly model: string;
  readonly cost: Money;
  readonly matching: ReadonlySet<Credit>;
  /** The share that no grant has covered yet, in units of 1e-18. */
  left: bigint;
}

/** Covers all that earlier grants left of the matching costs or, when the grant has too little, the same fraction of each. */
function useOnDay(credit: Credit, day: Day, cells: readonly Cell[]): void {
  const matching = cells.filter((cell) => cell.left > 0n && cell.matching.has(credit));
  // A cost in 1e-12 USD times a share in 1e-18 is in wide units of 1e-30.
  const uncovered = matching.reduce((sum, { cost, left }) => sum + cost * left, 0n);
  const isEnough = credit.left >= uncovered;
  const leftBefore = credit.left;
  let used = 0n;
  for (const cell of matching) {
    // Truncated, so that the discounts never exceed the grant.
    const share = isEnough ? cell.left : (cell.left * leftBefore) / uncovered;
    cell.left -= share;
    used += cell.cost * share;
  }
  if (used === 0n) return;
  credit.left -= used;
  credit.byDay.set(day, used);
}

/** The order in which grants are used: lower priority, sooner expiry (none last), sooner start, id (D7.2). */
function compareGrants(a: CreditTerms, b: CreditTerms): number {
  return (
    a.priority - b.priority ||
    compareText(a.expiresOn ?? afterEveryDay, b.expiresOn ?? afterEveryDay) ||
    compareText(a.startsOn, b.startsOn) ||
    compareText(a.id, b.id)
  );
}

const afterEveryDay = '9999-12-31';
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const isValidOn = ({ startsOn, expiresOn }: CreditTerms, day: Day): boolean =>
  startsOn <= day && (expiresOn === null || day <= expiresOn);

/** Whether one of the names is that of the model, or the start of it. The case of models counts, as in price overrides. */
const matchesModel = (names: readonly string[] | null, model: string): boolean =>
  names === null || names.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name));

/** Which grants match a model of a provider. Each pair is looked at once, however many days it has. */
function rememberMatches(credits: readonly Credit[]): (provider: string, model: string) => ReadonlySet<Credit> {
  const known = new Map<string, Map<string, ReadonlySet<Credit>>>();
  return (provider, model) => {
    const models = known.get(provider) ?? new Map<string, ReadonlySet<Credit>>();
    known.set(provider, models);
    const remembered = models.get(model);
    if (remembered) return remembered;
    const lowerCase = provider.toLowerCase();
    const found = new Set(
      credits.filter((credit) => credit.provider === lowerCase && matchesModel(credit.grant.models, model)),
    );
    models.set(model, found);
    return found;
  };
}

function groupByDay(costs: readonly DailyGross[]): [Day, DailyGross[]][] {
  const days = new Map<Day, DailyGross[]>();
  for (const cost of costs) {
    const known = days.get(cost.day);
    if (known) known.push(cost);
    else days.set(cost.day, [cost]);
  }
  return [...days].sort(([a], [b]) => compareText(a, b));
}
