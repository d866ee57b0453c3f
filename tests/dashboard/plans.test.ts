import { expect, test } from 'vitest';
import {
  nameUnit,
  openSaved,
  readSheet,
  resolveTarget,
  toBelowZero,
  toCents,
  toIncluded,
  toPlansBody,
  toPrice,
} from '../../dashboard/src/plans/sheet.ts';

const plan = { name: 'pro', customers: { customer_tags: { plan: ['pro'] } }, base_per_month: 29 };

test('D29: the sheet of a URL is read as the API takes it, and what is invalid is left out', () => {
  const charged = {
    ...plan,
    included: { unit: 'calls', amount: 100 },
    overage: { unit: 'calls', price: 0.02 },
    markup_pct: 20,
  };
  const named = { ...plan, name: 'named', customers: { names: ['acme'] } };
  const whole = { tag: 'tier', target: 60, saved: 'x', plans: [charged, named] };
  expect(readSheet(whole)).toEqual(whole);
  expect(readSheet({ plans: [{ ...charged, overage: { unit: 'calls' }, included: 5, markup_pct: -1 }] }).plans).toEqual(
    [plan],
  );
  const nothing = { tag: 'plan', target: undefined, saved: undefined, plans: undefined };
  for (const raw of [undefined, 'x', [], { tag: 7, target: 100, plans: 'x', saved: '' }, { plans: [] }]) {
    expect(readSheet(raw)).toEqual(nothing);
  }
  const faulty = [{ ...plan, name: '' }, { ...plan, base_per_month: '29' }, { ...plan, customers: 'all' }, null];
  expect(readSheet({ plans: faulty }).plans).toBe(undefined);
});

test('D29: the target is that of the URL, else of the project, else one that most aim at', () => {
  const sheet = readSheet({});
  expect(resolveTarget({ ...sheet, target: 55 }, 20)).toBe(55);
  expect([20, 0, null, -5, 100].map((atRisk) => resolveTarget(sheet, atRisk))).toEqual([20, 0, 70, 70, 70]);
});

test('D29: prices are said rounded up, so that they reach the margin', () => {
  expect([33.2, 34, 33.000000001, 9.991, 0.006333].map(toPrice)).toEqual(['$34', '$34', '$33', '$10.00', '$0.01']);
  expect([33.331, 33.33, 0.1 + 0.2].map(toCents)).toEqual([33.34, 33.33, 0.3]);
  expect([toIncluded(0.479, 'cost'), toIncluded(4.9, 'calls'), toIncluded(0.1 + 0.2, 'cost')]).toEqual([0.47, 4, 0.3]);
  expect(['cost', 'calls', 'key_metric:jobs'].map(nameUnit)).toEqual(['USD of cost', 'calls', 'jobs']);
  expect(toBelowZero({ customers: 5, below_zero: 1 })).toBe('1 of 5 costs more than it pays');
});

test('D29, D31: what is saved is asked again with its switches, whatever is switched on before it is opened', () => {
  const days = { from: '2026-07-01', to: '2026-09-30' };
  const before = { credits: true, shared: true };
  for (const switches of [{}, { credits: true }, { shared: true }, { credits: true, shared: true }]) {
    const asked = { days, toKnown: (range: typeof days) => range };
    const question = { apply_credits: false, ...toPlansBody({ ...asked, search: switches }), plans: [plan] };
    const saved = { name: 'x', created_at: '', updated_at: '', question };
    const opened = { ...before, ...openSaved(saved, readSheet({}), '2026-11-30') };
    expect(toPlansBody({ ...asked, search: opened })).toEqual(toPlansBody({ ...asked, search: switches }));
  }
});
