import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { findFaultsOf12, findFocusFaults } from '../../support/focus-rules.ts';
import { addGrant } from '../D7-credits/support.ts';

const farthing = sharedFarthing();

test('D24.2: usage and its credit are two rows, in days and months of the project', async () => {
  const project = await farthing.createProject({ name: 'A bot', timezone: 'America/New_York' });
  await project.post(
    ...['acme', ''].map((customer) => ({
      ...costEvent({ cost: 4, customer, model: 'm1', provider: 'p' }),
      timestamp: '2024-04-01T03:59:59Z',
      prompt_tokens: 10,
      completion_tokens: 5,
      web_searches: 2,
    })),
  );
  await project.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
  await addGrant(project, { provider: 'p', amount: 2 });
  const answer = await project.api('GET', '/api/exports/focus/?date_from=2024-03-31&date_to=2024-04-02');
  const { rows } = Object(expectStatus(answer, 200)) as { rows: Json[] };
  expect(rows.flatMap(findFocusFaults)).toEqual([]);
  expect(rows.map((row) => [row.ChargeCategory, row.SubAccountId, row.BilledCost])).toEqual([
    ['Credit', null, -1],
    ['Usage', null, 4],
    ['Credit', 'acme', -1],
    ['Usage', 'acme', 4],
  ]);
  expect(rows[3]).toEqual({
    BilledCost: 4,
    BillingAccountId: project.id,
    BillingAccountName: 'A bot',
    BillingCurrency: 'USD',
    BillingPeriodEnd: '2024-04-01T04:00:00Z',
    BillingPeriodStart: '2024-03-01T05:00:00Z',
    ChargeCategory: 'Usage',
    ChargeClass: null,
    ChargeDescription: 'Calls of m1',
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: '2024-04-01T04:00:00Z',
    ChargePeriodStart: '2024-03-31T04:00:00Z',
    ConsumedQuantity: 15,
    ConsumedUnit: 'Tokens',
    ContractedCost: 4,
    EffectiveCost: 4,
    HostProviderName: 'p',
    InvoiceIssuerName: 'p',
    ListCost: 4,
    PricingCategory: 'Standard',
    PricingQuantity: 15,
    PricingUnit: 'Tokens',
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: 'p',
    ServiceProviderName: 'p',
    ServiceSubcategory: 'Generative AI',
    SkuId: 'p/m1',
    SkuMeter: 'm1',
    SkuPriceDetails: null,
    SkuPriceId: 'p/m1',
    SubAccountId: 'acme',
    SubAccountName: 'acme',
    Tags: { plan: 'pro' },
    x_Calls: 1,
    x_Tokens: { input: 10, output: 5 },
    x_Units: { web_searches: 2 },
  });
});

test('D24.2: rows are of FOCUS 1.2 where that is asked for, with the same amounts, and its quantities are decimals', async () => {
  const project = await farthing.createProject();
  await project.post({
    ...costEvent({ cost: 4, customer: 'acme', model: 'm1', provider: 'p' }),
    timestamp: '2024-04-01T12:00:00Z',
    prompt_tokens: 10,
    completion_tokens: 5,
  });
  const ask = async (query: string) =>
    await project.api('GET', `/api/exports/focus/?date_from=2024-04-01&date_to=2024-04-01${query}`);
  const rowsOf = async (query: string) => Object(expectStatus(await ask(query), 200)).rows as Json[];
  const [rows, older] = await Promise.all([rowsOf('&version=1.4'), rowsOf('&version=1.2')]);
  expect(rows).toEqual(await rowsOf(''));
  expect(older.flatMap(findFaultsOf12)).toEqual([]);
  const { HostProviderName: host, ServiceProviderName: seller, ...same } = rows[0] ?? {};
  expect([host, seller]).toEqual(['p', 'p']);
  expect(older).toEqual([{ ...same, InvoiceId: null, ProviderName: 'p', PublisherName: 'p' }]);

  const [header = [], line = []] = parse((await ask('&version=1.2&format=csv')).text) as string[][];
  const cellOf = Object.fromEntries(header.map((name, index) => [name, line[index]]));
  expect(Object.keys(cellOf)).toEqual(Object.keys(older[0] ?? {}));
  expect(cellOf).toMatchObject({ BilledCost: '4', ConsumedQuantity: '15', PricingQuantity: '15.0', InvoiceId: '' });

  const answer = await ask('&version=1.0');
  expect([answer.status, Object(answer.body).errors[0].pointer]).toEqual([400, '/version']);
});

test('D24.2: a range that is not valid is refused, at its field', async () => {
  const project = await farthing.createProject();
  const ask = async (query: string) => await project.api('GET', `/api/exports/focus/?${query}`);
  const answers = await Promise.all([ask(''), ask('date_from=2024-05-02&date_to=2024-05-01'), ask('date_from=x')]);
  expect(answers.map(({ status, body }) => [status, Object(body).code, Object(body).errors[0].pointer])).toEqual([
    [400, 'invalid_query', '/date_from'],
    [400, 'invalid_query', '/date_from'],
    [400, 'invalid_query', '/date_from'],
  ]);
});
