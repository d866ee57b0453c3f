import { compareCodePoints } from '../../lib/code-points.ts';
import type { Day } from '../../lib/days.ts';
import { type Money, type WideMoney, widen } from '../../lib/money.ts';
import { AnswerTooLarge } from '../../lib/problem.ts';
import type { Slices } from '../../lib/slices.ts';
import { type CreditScope, openCovering } from './covering.ts';

/** What a free credit grant covers, and how much of it (D7.1). */
export interface CreditTerms extends CreditScope {
  readonly id: string;
  /** US dollars, above 0. */
  readonly amount: Money;
  /** First and last day, both inclusive; null means no expiry. */
  readonly startsOn: Day;
  readonly expiresOn: Day | null;
  /** Lower is used sooner. */
  readonly priority: number;
}

/** The cost of all calls of a project to one model of one provider on a day, before credits; at least 0. */
export interface DailyGross {
  readonly day: Day;
  readonly provider: string;
  readonly model: string;
  readonly cost: Money;
}

/** A group holds the models that the same grants cover, which share one covered share a day. */
export interface GroupedModel {
  readonly provider: string;
  readonly model: string;
  /** At least 1. */
  readonly group: number;
}

/** The share of a group's cost on a day that credits cover, in units of 1e-18: from 1 to 1e18, the whole cost. */
export interface CoveredShare {
  readonly day: Day;
  readonly group: number;
  readonly covered: bigint;
}

/** How much of a grant was used: the exact sum of its discounts. Days without discounts are left out. */
export interface GrantUse {
  readonly total: WideMoney;
  readonly byDay: ReadonlyMap<Day, WideMoney>;
}

/** The shares of a project's costs that credits cover. */
export interface CoveredCosts {
  /** The models with costs that a grant covers on some day. */
  readonly models: readonly GroupedModel[];
  /** In order of day; shares of 0 are left out. */
  readonly shares: readonly CoveredShare[];
}

export interface BurnDown extends CoveredCosts {
  /** Every grant, by its id. */
  readonly uses: ReadonlyMap<string, GrantUse>;
}

/** The share of a whole cost: shares have 18 fractional digits (D7.3). */
const wholeShare = 10n ** 18n;

/** How many costs, of a day and a model each, and grants of models are read between two yields: about a millisecond. */
const costsOfSlice = 2_000;
/** The most costs that grants may cover, of a day and a group, each once for every grant: about 2 s and 200 MB. */
const mostCovered = 5_000_000;

/**
 * Uses grants day by day for the costs of a project's calls (D7.2, D7.3). README.md has the rules in order, with an
 * example. `costs` must be those of the *whole* project from the earliest start of a grant on, one row for each day,
 * provider and model.
 * @throws AnswerTooLarge when grants may cover more than 5,000,000 of them, before any is used
 */
export function* calcBurnDown(grants: readonly CreditTerms[], costs: readonly DailyGross[]): Slices<BurnDown> {
  const credits = grants.toSorted(compareGrants).map((grant, number): Credit => {
    const { provider, models } = grant;
    return { grant, number, provider, models, left: widen(grant.amount), byDay: new Map() };
  });
  const groups = new Groups(credits);
  const costsByDay = new Map<Day, Map<Group, Money>>();
  let coverable = 0;
  let ofSlice = 0;
  for (const { day, provider, model, cost } of costs) {
    const group = groups.find(provider, model);
    ofSlice += 1 + group.credits.size;
    if (ofSlice >= costsOfSlice) {
      yield;
      ofSlice = 0;
    }
    if (cost === 0n || group.credits.size === 0) continue;
    const costsOfDay = costsByDay.get(day) ?? new Map<Group, Money>();
    const known = costsOfDay.get(group);
    if (known === undefined) coverable += group.credits.size;
    if (coverable > mostCovered) throw tooMuchCovered();
    costsByDay.set(day, costsOfDay.set(group, (known ?? 0n) + cost));
  }

  const shares: CoveredShare[] = [];
  for (const [day, costsOfDay] of [...costsByDay].sort(([a], [b]) => compareCodePoints(a, b))) {
    const cells = [...costsOfDay].map(([group, cost]): Cell => ({ group, cost, left: wholeShare }));
    const cellsOf = yield* byCredit(cells);
    for (const credit of credits) {
      const matching = cellsOf.get(credit);
      if (matching === undefined || credit.left === 0n || !isValidOn(credit.grant, day)) continue;
      useOnDay(credit, day, matching);
      yield;
    }
    for (const { group, left } of cells) {
      if (left < wholeShare) shares.push({ day, group: group.number, covered: wholeShare - left });
    }
  }
  return {
    models: groups.models.filter(({ group }) => group > 0),
    shares,
    uses: new Map(
      credits.map(({ grant, left, byDay }) => [grant.id, { total: widen(grant.amount) - left, byDay }] as const),
    ),
  };
}

/** Finds the share of a model's cost on a day that credits cover, in units of 1e-18: from 0 to 1e18. */
export function coveredShares({ models, shares }: CoveredCosts): (cost: Omit<DailyGross, 'cost'>) => bigint {
  const groupOf = new Map(models.map(({ provider, model, group }) => [JSON.stringify([provider, model]), group]));
  const coveredOf = new Map(shares.map(({ day, group, covered }) => [`${day} ${group}`, covered]));
  return ({ day, provider, model }) => coveredOf.get(`${day} ${groupOf.get(JSON.stringify([provider, model]))}`) ?? 0n;
}

/** The first day whose costs affect the use of grants; undefined without grants. */
export const calcEarliestStart = (grants: readonly CreditTerms[]): Day | undefined =>
  grants.map(({ startsOn }) => startsOn).sort(compareCodePoints)[0];

/** A grant during the burn-down. */
interface Credit extends CreditScope {
  readonly grant: CreditTerms;
  /** Its place in the order of use. */
  readonly number: number;
  left: WideMoney;
  readonly byDay: Map<Day, WideMoney>;
}

/** The models that the same grants cover. */
interface Group {
  /** 0 when no grant covers it. */
  readonly number: number;
  readonly credits: ReadonlySet<Credit>;
}

/** The cost of a group on a day, during the burn-down. */
interface Cell {
  readonly group: Group;
  readonly cost: Money;
  /** The share that no grant has covered yet, in units of 1e-18. */
  left: bigint;
}

const tooMuchCovered = () =>
  new AnswerTooLarge(
    `The credit grants of this project cover too many models in different ways: more than ${mostCovered} for all days, groups of models and the grants that cover them. Ask without apply_credits, or have fewer grants that name models.`,
  );

/** The costs that each grant may cover. */
function* byCredit(cells: readonly Cell[]): Slices<Map<Credit, Cell[]>> {
  const cellsOf = new Map<Credit, Cell[]>();
  let ofSlice = 0;
  for (const cell of cells) {
    ofSlice += cell.group.credits.size;
    if (ofSlice >= costsOfSlice) {
      yield;
      ofSlice = 0;
    }
    for (const credit of cell.group.credits) {
      const ofCredit = cellsOf.get(credit);
      if (ofCredit) ofCredit.push(cell);
      else cellsOf.set(credit, [cell]);
    }
  }
  return cellsOf;
}

/** Covers what earlier grants left; a grant with too little left covers the same fraction of each cost. */
function useOnDay(credit: Credit, day: Day, cells: readonly Cell[]): void {
  const matching = cells.filter(({ left }) => left > 0n);
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
    compareCodePoints(a.expiresOn ?? afterEveryDay, b.expiresOn ?? afterEveryDay) ||
    compareCodePoints(a.startsOn, b.startsOn) ||
    compareCodePoints(a.id, b.id)
  );
}

const afterEveryDay = '9999-12-31';

const isValidOn = ({ startsOn, expiresOn }: CreditTerms, day: Day): boolean =>
  startsOn <= day && (expiresOn === null || day <= expiresOn);

/** The groups of models. A provider and model is matched once, however many days it has. */
class Groups {
  readonly models: GroupedModel[] = [];
  readonly #covering: ReturnType<typeof openCovering<Credit>>;
  readonly #known = new Map<string, Group>();
  readonly #byProvider = new Map<string, Map<string, Group>>();

  constructor(credits: readonly Credit[]) {
    this.#covering = openCovering(credits);
    this.#known.set('', { number: 0, credits: new Set() });
  }

  find(provider: string, model: string): Group {
    const byModel = this.#byProvider.get(provider) ?? new Map<string, Group>();
    this.#byProvider.set(provider, byModel);
    let group = byModel.get(model);
    if (!group) {
      group = this.#match(provider, model);
      byModel.set(model, group);
      this.models.push({ provider, model, group: group.number });
    }
    return group;
  }

  #match(provider: string, model: string): Group {
    const credits = this.#covering({ provider, model });
    const key = [...credits]
      .map(({ number }) => number)
      .sort((a, b) => a - b)
      .join(' ');
    const known = this.#known.get(key);
    if (known) return known;
    const group = { number: this.#known.size, credits };
    this.#known.set(key, group);
    return group;
  }
}
