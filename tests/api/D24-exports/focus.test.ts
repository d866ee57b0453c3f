import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { findFocusFaults } from '../../support/focus-rules.ts';
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
