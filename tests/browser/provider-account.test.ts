// A newcomer with nothing but a provider's key.
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openChromium } from '../support/chromium.ts';
import { sharedFarthing } from '../support/client.ts';
import { untilDayLasts } from '../support/midnight.ts';
import { modelsOf, ProviderServer, providerKeys } from '../support/provider-server.ts';
import { visit } from './visitor.ts';

const farthing = sharedFarthing();
let server: ProviderServer;

beforeAll(async () => {
  await untilDayLasts();
  server = await ProviderServer.start(inject('providerPort'));
});
afterAll(() => server?.close());

test('D30.1: 30 days of cost by model are on the page within two minutes, and the key is all that is typed', async () => {
  server.traffic.anthropic = Array.from({ length: 30 }, (_, daysAgo) =>
    modelsOf.anthropic.map((model) => ({
      ...{ model, key: 'key_1', workspace: 'team_1', user: 'user_1', requests: 10 },
      day: new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10),
      ...{ input: 1_000_000, cached: 0, output: 100_000 },
    })),
  ).flat();
  const began = performance.now();
  const project = await farthing.createProject();
  const visitor = await visit(await openChromium(), farthing, { as: project.apiKey });
  const { window } = visitor;
  try {
    await visitor.open('/connect');
    await window.getByRole('button', { name: 'Connect an account' }).click();
    await window.getByLabel('The key').fill(providerKeys.anthropic);
    await window.getByRole('button', { name: 'Connect it' }).click();
    const card = window.getByRole('region', { name: 'Provider accounts' });
    await card.getByText('60 calls in all.').waitFor();
    await visitor.open('/models?period=30d');
    for (const model of modelsOf.anthropic) await window.getByText(model).first().waitFor();
    expect(performance.now() - began).toBeLessThan(120_000);
    // A million tokens of input and a tenth of output a day: $4.50 and $1.50.
    expect(await project.totalCost()).toBeCloseTo(30 * (4.5 + 1.5), 9);
    expect(visitor.faults).toEqual([]);
  } finally {
    await visitor.close();
  }
});
