import { type Generations, generationOf, isFrozen, noGeneration } from '../../../calls/generations.ts';
import type { Day, Period } from '../../../lib/days.ts';
import type { CoveredCosts } from '../../../reports/facts/burn-down.ts';

export interface Sides<T> {
  readonly pinned: T;
  readonly current: T;
}

/**
 * The days of a period whose calls may differ from the close. A change to a closed day moves its pin to a copy
 * (docs/decisions/0020), so these are the days with another generation. No statement needs to read the others.
 */
export function listChangedDays({ pinned, current }: Sides<Generations>, { dateFrom, dateTo }: Period): Day[] {
  const ofCurrent = new Set([...current.seals.keys(), ...current.openDays]);
  const days = [...new Set([...pinned.byDay.keys(), ...ofCurrent])];
  return days
    .filter((day) => day >= dateFrom && day <= dateTo)
    .filter((day) => {
      const seal = pinned.seals.get(day);
      if (seal !== undefined && seal === current.seals.get(day)) return false;
      if (isFrozen(pinned, day) || isFrozen(current, day)) return true;
      const generation = pinned.byDay.get(day) ?? noGeneration;
      return ofCurrent.has(day) ? generation !== generationOf(current, day) : generation !== noGeneration;
    })
    .sort();
}

/** The generations with only these days, so that a statement reads no other days. */
export const onDays = (generations: Generations, days: ReadonlySet<Day>): Generations => ({
  ...generations,
  seals: new Map([...generations.seals].filter(([day]) => days.has(day))),
  openDays: generations.openDays.filter((day) => days.has(day)),
});

/** `changed`: where credits cover another share of a model's cost than at the close; `all`: where they cover any. */
export function listCoveredDays({ pinned, current }: Sides<CoveredCosts>): { changed: Set<Day>; all: Set<Day> } {
  const [before, now] = [spellShares(pinned), spellShares(current)];
  const all = new Set([...before.keys(), ...now.keys()]);
  return { all, changed: new Set([...all].filter((day) => before.get(day) !== now.get(day))) };
}

/** The shares of each day as a text; equal shares give equal texts. */
function spellShares({ models, shares }: CoveredCosts): Map<Day, string> {
  const byGroup = Map.groupBy(models, ({ group }) => group);
  const ofDays = Map.groupBy(shares, ({ day }) => day);
  return new Map(
    [...ofDays].map(([day, ofDay]) => [
      day,
      JSON.stringify(
        ofDay
          .flatMap(({ group, covered }) =>
            (byGroup.get(group) ?? []).map(({ provider, model }) => JSON.stringify([provider, model, `${covered}`])),
          )
          .sort(),
      ),
    ]),
  );
}
