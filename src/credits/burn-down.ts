import { compareCodePoints } from '../lib/code-points.ts';
import type { Day } from '../lib/days.ts';
import { type Money, type WideMoney, widen } from '../lib/money.ts';
import { inSlices, type Slices } from '../lib/slices.ts';

/** What a free credit grant covers, and how much of it (D7.1). */
export interface CreditTerms {
  readonly id: string;
  /** Not case-sensitive. */
  readonly provider: string;
  /** Names of models; one that ends in `*` matches every model that starts with it. Null matches every model. */
  readonly models: readonly string[] | null;
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

/**
 * A model and its group. A group holds the models that the same grants cover, so its models share one covered share a
 * day.
 */
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

/** How many costs, of a day and a model each, are read between two yields: about a millisecond. */
const costsOfSlice = 2_000;

/**
 * Uses grants day by day for the costs of a project's calls (D7.2, D7.3). README.md has the rules in order, with an
 * example. `costs` must be those of the *whole* project from the earliest start of a grant on, one row for each day,
 * provider and model. A thousand grants over a year of a thousand models take seconds.
 */
export function* calcBurnDown(grants: readonly CreditTerms[], costs: readonly DailyGross[]): Slices<BurnDown> {
  const credits = grants
    .toSorted(compareGrants)
    .map((grant): Credit => ({ grant, left: widen(grant.amount), byDay: new Map() }));
  const groups = new Groups(credits);
  const costsByDay = new Map<Day, Map<Group, Money>>();
  yield* inSlices(costs, costsOfSlice, ({ day, provider, model, cost }) => {
    const group = groups.find(provider, model);
    if (cost === 0n || group.credits.size === 0) return;
    const costsOfDay = costsByDay.get(day) ?? new Map<Group, Money>();
    costsByDay.set(day, costsOfDay.set(group, (costsOfDay.get(group) ?? 0n) + cost));
  });

  const shares: CoveredShare[] = [];
  for (const [day, costsOfDay] of [...costsByDay].sort(([a], [b]) => compareCodePoints(a, b))) {
    const cells = [...costsOfDay].map(([group, cost]): Cell => ({ group, cost, left: wholeShare }));
    const cellsOf = byCredit(cells);
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
interface Credit {
  readonly grant: CreditTerms;
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

/** The costs that each grant may cover. */
function byCredit(cells: readonly Cell[]): Map<Credit, Cell[]> {
  const cellsOf = new Map<Credit, Cell[]>();
  for (const cell of cells) {
    for (const credit of cell.group.credits) {
      const ofCredit = cellsOf.get(credit);
      if (ofCredit) ofCredit.push(cell);
      else cellsOf.set(credit, [cell]);
    }
  }
  return cellsOf;
}

/**
 * Covers what earlier grants left of the matching costs. A grant with too little left covers the same fraction of each
 * cost.
 */
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

/** Whether a grant covers the calls of a model of a provider. */
export const coversModel = (
  { provider, models }: Pick<CreditTerms, 'provider' | 'models'>,
  called: Pick<DailyGross, 'provider' | 'model'>,
): boolean => provider.toLowerCase() === called.provider.toLowerCase() && matchesModel(models, called.model);

const isValidOn = ({ startsOn, expiresOn }: CreditTerms, day: Day): boolean =>
  startsOn <= day && (expiresOn === null || day <= expiresOn);

/**
 * Whether a name equals the model, or ends in `*` and the model starts with it. Case-sensitive, as in price overrides.
 */
const matchesModel = (names: readonly string[] | null, model: string): boolean =>
  names === null || names.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name));

/** The groups of models. A provider and model is matched once, however many days it has. */
class Groups {
  readonly models: GroupedModel[] = [];
  readonly #credits: readonly Credit[];
  readonly #known = new Map<string, Group>();
  readonly #byProvider = new Map<string, Map<string, Group>>();

  constructor(credits: readonly Credit[]) {
    this.#credits = credits;
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
    const credits = this.#credits.filter(({ grant }) => coversModel(grant, { provider, model }));
    const key = credits.map(({ grant }) => grant.id).join(' ');
    const known = this.#known.get(key);
    if (known) return known;
    const group = { number: this.#known.size, credits: new Set(credits) };
    this.#known.set(key, group);
    return group;
  }
}
