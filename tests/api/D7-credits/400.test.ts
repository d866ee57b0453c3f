import { expect, test } from 'vitest';
import { type Json, sharedFarthing } from '../../support/client.ts';
import { once } from '../../support/once.ts';
import { expectInvalid } from '../../support/problem.ts';
import { listGrants } from './support.ts';

const farthing = sharedFarthing();
const valid = { provider: 'p', amount: 10, starts_on: '2024-01-01' };

test('D11.1: every fault of a grant is reported at once, and nothing is stored', async () => {
  const project = await farthing.createProject();
  const answer = await project.api('POST', '/api/credit-grants/', {
    provider: '',
    models: ['m', '*m', 5, 'm', ''],
    amount: -1,
    starts_on: '2024-01-02',
    expires_on: '2024-01-01',
    priority: 2_000_000,
    name: 7,
    currency: 'EUR',
  });
  const pointers = [
    '/provider',
    '/models/1',
    '/models/2',
    '/models/4',
    '/amount',
    '/expires_on',
    '/priority',
    '/name',
    '/currency',
  ];
  const { errors = [] } = expectInvalid(answer, pointers);
  expect(errors.filter(({ message }) => !/^(must |is )/.test(message))).toEqual([]);
  expect(await listGrants(project)).toEqual([]);
});

test('D11.1: a provider, an amount and a first day are required', async () => {
  const project = await farthing.createProject();
  const { errors = [] } = expectInvalid(await project.api('POST', '/api/credit-grants/', {}), [
    '/provider',
    '/amount',
    '/starts_on',
  ]);
  expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['required']));
});

const long = 'm'.repeat(1_025);
/** All are refused, so it keeps no grant. */
const projectWithout = once(() => farthing.createProject());

test.each([
  ['no amount', { amount: 0 }, '/amount', 'out_of_range'],
  ['too high an amount', { amount: '1000000000.01' }, '/amount', 'out_of_range'],
  ['a huge power of ten', { amount: '1e399' }, '/amount', 'out_of_range'],
  ['13 fractional digits', { amount: '0.0000000000001' }, '/amount', 'invalid_value'],
  ['13 fractional digits of a number', { amount: 0.1234567890123 }, '/amount', 'invalid_value'],
  ['an amount in words', { amount: 'ten' }, '/amount', 'invalid_value'],
  ['an empty amount', { amount: '' }, '/amount', 'invalid_value'],
  ['an amount that is null', { amount: null }, '/amount', 'invalid_type'],
  ['an amount that is a list', { amount: [1] }, '/amount', 'invalid_type'],
  ['a long provider', { provider: long }, '/provider', 'too_long'],
  ['a provider that is null', { provider: null }, '/provider', 'invalid_type'],
  ['a provider with NUL', { provider: 'a\0' }, '/provider', 'invalid_value'],
  ['no models', { models: [] }, '/models', 'empty'],
  ['too many models', { models: Array.from({ length: 1_001 }, (_, index) => `m${index}`) }, '/models', 'too_many'],
  ['models that are text', { models: 'm*' }, '/models', 'invalid_type'],
  ['a model twice', { models: ['m', 'n', 'm'] }, '/models/2', 'duplicate'],
  ['a star in the middle', { models: ['a*b'] }, '/models/0', 'invalid_value'],
  ['two stars', { models: ['a**'] }, '/models/0', 'invalid_value'],
  ['a long model', { models: [long] }, '/models/0', 'too_long'],
  ['a day that does not exist', { starts_on: '2024-02-30' }, '/starts_on', 'invalid_value'],
  ['a day before 2000', { starts_on: '1999-12-31' }, '/starts_on', 'out_of_range'],
  ['an expiry after 2100', { expires_on: '2101-01-01' }, '/expires_on', 'out_of_range'],
  ['an expiry before the start', { expires_on: '2023-12-31' }, '/expires_on', 'out_of_range'],
  ['a priority that is no whole number', { priority: 1.5 }, '/priority', 'invalid_type'],
  ['too high a priority', { priority: 1_000_001 }, '/priority', 'out_of_range'],
  ['too low a priority', { priority: -1_000_001 }, '/priority', 'out_of_range'],
  ['an empty name', { name: '' }, '/name', 'empty'],
  ['a long name', { name: 'n'.repeat(201) }, '/name', 'too_long'],
] satisfies [string, Json, string, string][])('D7.1: refused: %s', async (_name, fields, pointer, code) => {
  const project = await projectWithout();
  const { errors } = expectInvalid(await project.api('POST', '/api/credit-grants/', { ...valid, ...fields }), [
    pointer,
  ]);
  expect(errors?.[0]?.code).toBe(code);
  expect(await listGrants(project)).toEqual([]);
});

test('D7.1: values at the limits are accepted', async () => {
  const project = await farthing.createProject();
  const bodies = [
    { provider: '😀'.repeat(1_024), models: [`${'m'.repeat(1_023)}*`, '*'] },
    { models: Array.from({ length: 1_000 }, (_, index) => `m${index}`), name: 'n'.repeat(200) },
    { starts_on: '2000-01-01', expires_on: '2000-01-01', priority: 1_000_000 },
    { starts_on: '2100-12-31', expires_on: '2100-12-31', priority: -1_000_000 },
  ];
  for (const body of bodies) {
    const answer = await project.api('POST', '/api/credit-grants/', { ...valid, ...body });
    expect(answer.status, answer.text).toBe(201);
  }
  expect(await listGrants(project)).toHaveLength(4);
});
