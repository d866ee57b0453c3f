// Random sequences of changes of a project.
import fc from 'fast-check';
import type { KeyMetric, ModelPrice, RevenueEntry } from '../model.ts';
import { creditableEvent, type HistoryEvent, prices } from './history.ts';
import { customEvent, keyMetrics } from './key-metrics.ts';
import { anyAmount, grantsWithin, type NewGrant, revenueWithin } from './money.ts';
import { customers, tagsOfSome, timezones, users } from './names.ts';

export type Change =
  | { kind: 'post events'; events: HistoryEvent[] }
  | { kind: 'grant credits'; grants: NewGrant[] }
  | { kind: 'delete a grant'; which: number }
  | { kind: 'post revenue'; entries: RevenueEntry[] }
  | { kind: 'delete revenue'; which: number }
  | { kind: 'define key metrics'; metrics: KeyMetric[] }
  | { kind: 'delete a key metric'; which: number }
  | { kind: 'tag customers'; tags: [string, Record<string, string>][] }
  | { kind: 'tag users'; tags: [string, Record<string, string>][] }
  | { kind: 'move to a timezone'; timezone: string }
  | { kind: 'reprice'; prices: ModelPrice[] };

const which = fc.nat({ max: 100 });

const events = (event: fc.Arbitrary<HistoryEvent>): fc.Arbitrary<Change> =>
  fc.array(event, { minLength: 1, maxLength: 12, size: 'max' }).map((events) => ({ kind: 'post events', events }));

const credits = (days: number): fc.Arbitrary<Change> =>
  fc.oneof(
    grantsWithin(days).map((grants): Change => ({ kind: 'grant credits', grants: grants.slice(0, 2) })),
    which.map((which): Change => ({ kind: 'delete a grant', which })),
  );

const rebuilds: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...timezones).map((timezone): Change => ({ kind: 'move to a timezone', timezone })),
  fc
    .constantFrom('0.5', '3.5', '20')
    .map((input): Change => ({ kind: 'reprice', prices: prices.map((price) => ({ ...price, input })) })),
);

const changes = (maxLength: number, kinds: [number, fc.Arbitrary<Change>][]): fc.Arbitrary<Change[]> =>
  fc.array(fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
    minLength: 4,
    maxLength,
    size: 'max',
  });

export const changesOfRevenueProject = (days: number, most = 9): fc.Arbitrary<Change[]> =>
  changes(most, [
    [5, events(creditableEvent(days))],
    [3, credits(days)],
    [2, revenueWithin(days, anyAmount).map(([entries = []]): Change => ({ kind: 'post revenue', entries }))],
    [1, which.map((which): Change => ({ kind: 'delete revenue', which }))],
    [1, tagsOfSome(customers).map((tags): Change => ({ kind: 'tag customers', tags }))],
    [1, rebuilds],
  ]);

export const changesOfInternalProject = (days: number, most = 9): fc.Arbitrary<Change[]> =>
  changes(most, [
    [5, events(fc.oneof(creditableEvent(days), customEvent(days)))],
    [2, credits(days)],
    [3, keyMetrics.map((metrics): Change => ({ kind: 'define key metrics', metrics }))],
    [1, which.map((which): Change => ({ kind: 'delete a key metric', which }))],
    [1, tagsOfSome(users).map((tags): Change => ({ kind: 'tag users', tags }))],
    [1, rebuilds],
  ]);
