import { expect, test } from 'vitest';
import { picos } from '../decimal.ts';
import type { ModelCall } from './calls.ts';
import { burnDown, type ModelGrant } from './credits.ts';
import { shown } from './rows.ts';

function call(day: string, provider: string, model: string, usd: number): ModelCall {
  const none = {
    customer: '',
    user: '',
    feature: '',
    run: '',
    tags: new Map(),
    usage: undefined,
    unpriced: undefined,
    id: 'a',
    elapsedMs: 0,
  };
  return { ...none, day, provider, model, cost: picos(usd) };
}

function grant(id: string, amount: number, fields: Partial<ModelGrant> = {}): ModelGrant {
  return { id, provider: 'p', amount, starts_on: '2024-01-01', ...fields };
}

test('D7.2: a grant covers whole days until one that it covers in part', () => {
  const [first, second, third] = [
    call('2024-01-01', 'P', 'a', 4),
    call('2024-01-02', 'p', 'a', 6),
    call('2024-01-02', 'p', 'b', 2),
  ];
  const { netOf, usedOf } = burnDown([grant('1', 6)], [first, second, third]);
  // 4 on the first day; the remaining 2 cover a quarter of the 8 on the second.
  expect(netOf([first])).toEqual({ exact: 0n, slack: 0n });
  expect([second, third].map((of) => netOf([of]).exact)).toEqual([45n * 10n ** 29n, 15n * 10n ** 29n]);
  expect(shown(usedOf('1'))).toBe(6);
});

test('D7.2: priority, then expiry, then start, then id', () => {
  const [calls, amounts] = [[call('2024-01-05', 'p', 'a', 3)], 3];
  const usedBy = (...grants: ModelGrant[]) => {
    const { usedOf } = burnDown(grants, calls);
    return grants.flatMap(({ id }) => (usedOf(id).exact > 0n ? [id] : []));
  };
  const soon = { expires_on: '2024-01-05' };
  const late = { expires_on: '2024-01-06' };
  expect(usedBy(grant('1', amounts), grant('2', amounts, { priority: -1 }))).toEqual(['2']);
  expect(usedBy(grant('1', amounts), grant('2', amounts, late))).toEqual(['2']);
  expect(usedBy(grant('1', amounts, late), grant('2', amounts, soon))).toEqual(['2']);
  expect(usedBy(grant('1', amounts, { starts_on: '2024-01-02' }), grant('2', amounts))).toEqual(['2']);
  expect(usedBy(grant('2', amounts), grant('1', amounts))).toEqual(['1']);
  expect(usedBy(grant('1', amounts, { expires_on: '2024-01-04' }), grant('2', amounts))).toEqual(['2']);
  expect(usedBy(grant('1', amounts, { starts_on: '2024-01-06' }), grant('2', amounts))).toEqual(['2']);
});

test('D7.1: names match exactly, or by the prefix before the `*`; an unused grant stays whole', () => {
  const calls = [call('2024-01-01', 'p', 'gpt-4', 1), call('2024-01-01', 'p', 'gpt-4o', 1)];
  const { netOf, usedOf } = burnDown(
    [
      grant('1', 9, { models: ['gpt-4'] }),
      grant('2', 9, { models: ['x', 'gpt-4o*'] }),
      grant('3', 9, { provider: 'q' }),
    ],
    calls,
  );
  expect(shown(netOf(calls))).toBe(0);
  expect(['1', '2', '3'].map((id) => shown(usedOf(id)))).toEqual([1, 1, 0]);
});

test('D7.2, D7.3: a later grant covers a fraction of what earlier ones left, in 18 digits', () => {
  const [a, b] = [call('2024-01-01', 'p', 'a', 1), call('2024-01-01', 'p', 'b', 2)];
  const { netOf, usedOf } = burnDown([grant('1', 0.5, { models: ['a'] }), grant('2', 1)], [a, b]);
  // The first leaves half of a; the second covers 1 of the remaining 2.5, which is 0.4.
  expect([netOf([a]).exact, netOf([b]).exact]).toEqual([3n * 10n ** 29n, 12n * 10n ** 29n]);
  expect([0.5, 1]).toEqual([shown(usedOf('1')), shown(usedOf('2'))]);

  // Only in this case the last digit is open.
  expect(netOf([a]).slack).toBeGreaterThan(0n);
  const thirds = burnDown([grant('1', 1)], [call('2024-01-01', 'p', 'a', 3)]);
  expect(thirds.netOf([call('2024-01-01', 'p', 'a', 3)])).toEqual({
    exact: 2_000_000_000_000_000_001n * 10n ** 12n,
    slack: 0n,
  });
});
