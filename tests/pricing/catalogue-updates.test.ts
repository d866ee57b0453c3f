import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { installedCatalogue, snapshotOf } from '../../src/pricing/catalogue.ts';
import {
  CatalogueFetchError,
  fetchCatalogue,
  readCatalogueInForce,
  storeCatalogueUpdate,
} from '../../src/pricing/catalogue-updates.ts';
import { openControlStore } from '../../src/storage/control/control-store.ts';
import { type Answer, connect, expectStatus, type Farthing, type Project } from '../support/client.ts';
import { createDatabase } from '../support/postgres.ts';
import { catalogueJson, type PriceUpstream, startPriceUpstream } from '../support/price-upstream.ts';
import { expectProblem } from '../support/problem.ts';
import '../support/provided.ts';
import { someOf, usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';
import { openControl } from '../support/stores.ts';

const model = `described-${randomUUID()}`;
const priced = (input: number) => catalogueJson({ name: model, input, output: 0 });
const nested = (depth: number) =>
  `[{"id":"x","models":[{"id":"y","prices":{},"match":${'{"or":['.repeat(depth)}{"equals":"y"}${']}'.repeat(depth)}}]}]`;
const dated = (constraint: object) =>
  JSON.stringify([{ id: 'x', models: [{ id: 'y', match: { equals: 'y' }, prices: [{ constraint, prices: {} }] }] }]);
const badData: [string, string, number, RegExp][] = [
  ['a page that is not there', 'none', 404, /answered with status 404/],
  ['what is no JSON', '[{', 200, /is not valid JSON/],
  ['another format', '{"data":[]}', 200, /not in the catalogue's format \(the whole: /],
  ['no models', '[{"id":"openai","models":[]}]', 200, /the whole: must hold models/],
  ['a price that is text', priced(1).replace('"input_mtok":1,', '"input_mtok":"1",'), 200, /\/models\/\d+\/prices/],
  ['a price below zero', priced(1).replace('"input_mtok":1,', '"input_mtok":-1,'), 200, /\/models\/\d+\/prices/],
  ['a price that no cost can hold', priced(1).replace('"input_mtok":1,', '"input_mtok":1e30,'), 200, /\/prices/],
  ['a rule that is none', priced(1).replace(/"regex":"[^"]*"/, '"regex":"("'), 200, /match/],
  ['rules within rules without end', nested(100_000), 200, /is nested too deeply|\/models\/0\/match/],
  ['a condition that is new', dated({ end_date: '2030-01-01' }), 200, /\/models\/0\/prices/],
];

describe.each(usualOrLong<('sqlite' | 'postgres')[]>(['sqlite'], ['sqlite', 'postgres']))(
  'with the prices kept in %s',
  (kind) => {
    const dataDir = makeMigratedDataDir();
    let postgresUrl: string | undefined;
    let upstream: PriceUpstream;
    let service: Service;
    let farthing: Farthing;
    let project: Project;

    const start = async () => {
      service = await startService({
        dataDir,
        ...(postgresUrl !== undefined && { postgresUrl }),
        ...(service && { port: service.port }),
        env: { FARTHING_PRICE_CATALOGUE_URL: upstream.url, FARTHING_LITELLM_PRICES_URL: upstream.url },
      });
      farthing = connect(service.url, service.adminToken);
    };
    const update = () => farthing.admin('POST', '/admin/prices/update/');
    const inForce = async () => Object(expectStatus(await farthing.admin('GET', '/admin/prices/update/'), 200));
    const priceOf = (one: Project): Promise<Answer> => one.api('GET', `/api/models/${model}/price/?provider=openai`);
    const inputPrice = async (one: Project) => Object(expectStatus(await priceOf(one), 200)).rates.per_mtok.input;
    const million = () => ({
      event_id: randomUUID(),
      event_type: 'llm.after',
      model,
      provider: 'openai',
      prompt_tokens: 1_000_000,
    });

    beforeAll(async () => {
      postgresUrl = kind === 'postgres' ? await createDatabase(inject('postgresUrl')) : undefined;
      upstream = await startPriceUpstream();
      await start();
      project = await farthing.createProject();
    });
    afterAll(async () => {
      await service.stop();
      await upstream.stop();
    });

    test('D5.2: fetched prices apply to later calls and change no past number', async () => {
      const installed = installedCatalogue();
      expect(await inForce()).toMatchObject({ version: installed.version, fetched_at: null });
      expectProblem(await priceOf(project), 404, 'not_found');
      await project.post(million());
      expect(await project.totalCost()).toBe(0);

      upstream.answer(priced(3));
      const first = Object(expectStatus(await update(), 200));
      expect(first).toMatchObject({
        changed: true,
        version: expect.stringMatching(`^${installed.version}\\+[0-9a-f]{12}$`),
      });
      expect(Date.parse(first.fetched_at)).toBeGreaterThan(Date.now() - 60_000);
      expect(await inForce()).toEqual({ ...first, changed: undefined, changes: undefined });
      expect(await inputPrice(project)).toBe(3);
      await project.post(million());
      expect(await project.totalCost()).toBe(3);

      expect(Object(expectStatus(await update(), 200))).toMatchObject({ changed: false, version: first.version });
      upstream.answer(priced(5));
      expect(Object(expectStatus(await update(), 200)).changed).toBe(true);
      await project.post(million());
      expect(await project.totalCost()).toBe(8);
      // Data that was in force before comes into force again.
      upstream.answer(priced(3));
      expect(Object(expectStatus(await update(), 200))).toMatchObject({ changed: true, version: first.version });
      expect(await inputPrice(project)).toBe(3);
      expect(await inputPrice(await farthing.createProject())).toBe(3);
      expect(await project.totalCost()).toBe(8);
    });

    test('D27.2: a further list comes from a file or an address, is judged whole, and says what it changes', async () => {
      const seller = `seller-${randomUUID()}`;
      const listed = (input: number) => ({
        [`${seller}/house-llm`]: { litellm_provider: seller, input_cost_per_token: input, output_cost_per_token: 0 },
      });
      const give = (body: object) => farthing.admin('POST', '/admin/prices/update/', body);
      const call = { ...million(), provider: seller, model: 'house-llm' };
      await project.post(call);
      const before = await project.totalCost();

      expectProblem(await give({ from: 'litellm', file: { a: { litellm_provider: 7 } } }), 400, 'invalid_body');
      expectProblem(await give({ from: 'models.dev', file: {} }), 400, 'invalid_body');
      const { detail } = expectProblem(await give({ from: 'genai-prices', file: { data: [] } }), 400, 'invalid_body');
      expect(detail).toContain(`Give the file that genai-prices publishes at ${upstream.url}`);
      expectProblem(await give({ from: 'nobody', file: {} }), 400, 'invalid_body');
      upstream.answer('[{');
      expectProblem(await give({ from: 'litellm' }), 503, 'unavailable');

      const first = Object(expectStatus(await give({ from: 'litellm', file: listed(2e-6) }), 200));
      expect(first).toMatchObject({
        changed: true,
        changes: [
          {
            provider: seller,
            model: 'house-llm',
            rates: expect.arrayContaining([{ rate: 'input', before: null, after: 2 }]),
          },
        ],
      });
      const [, litellm] = first.further_lists;
      expect(litellm).toMatchObject({ list: 'litellm', age_days: 0, fetched_at: expect.any(String) });
      expect((await inForce()).further_lists).toEqual(first.further_lists);
      // No past number changes; later calls have the price.
      expect(await project.totalCost()).toBe(before);
      await project.post({ ...call, event_id: randomUUID() });
      expect(await project.totalCost()).toBe(before + 2);

      upstream.answer(JSON.stringify(listed(3e-6)));
      expect(Object(expectStatus(await give({ from: 'litellm' }), 200))).toMatchObject({
        changes: [{ model: 'house-llm', rates: expect.arrayContaining([{ rate: 'input', before: 2, after: 3 }]) }],
      });
      expect(Object(expectStatus(await give({ from: 'litellm' }), 200))).toMatchObject({ changed: false, changes: [] });
    });

    // The data are judged before they come to a store: which are bad is tried below.
    test.each(someOf(badData, 1))(
      'D5.2: %s is refused with the reason, and nothing changes',
      async (_name, body, status, reason) => {
        upstream.answer(priced(3));
        expectStatus(await update(), 200);
        const before = await inForce();
        upstream.answer(body, status);
        const answer = await update();
        expectProblem(answer, 503, 'unavailable');
        expect(Object(answer.body).detail).toMatch(reason);
        expect(Object(answer.body).detail).toContain('no price has changed');
        expect(answer.headers.get('retry-after')).toBe('60');
        expect(await inForce()).toEqual(before);
        expect(await inputPrice(project)).toBe(3);
      },
    );

    longTest('D5.2: a restart keeps what was fetched, without a network, and tells that there is none', async () => {
      upstream.answer(priced(3));
      expectStatus(await update(), 200);
      const [before, cost] = [await inForce(), await project.totalCost()];
      await upstream.stop();
      await service.stop();
      await start();
      const answer = await update();
      expectProblem(answer, 503, 'unavailable');
      expect(Object(answer.body).detail).toContain('could not be reached (ECONNREFUSED)');
      expect(await inForce()).toEqual(before);
      expect(await inputPrice(project)).toBe(3);
      expect(await project.totalCost()).toBe(cost);
    });

    longTest('D5.2: a newer package supersedes what was fetched, and changes no past number', async () => {
      const cost = await project.totalCost();
      await service.stop();
      const control = await openControlStore({ dataDir, postgresUrl, onError: () => undefined });
      await storeCatalogueUpdate(control, snapshotOf({ version: 'fetched', providers: JSON.parse(priced(3)) }), 1);
      await control.updateTable('catalogue_updates').set({ package_version: '0.0.1' }).execute();
      await control.destroy();
      await start();
      expect(await inForce()).toMatchObject({ version: installedCatalogue().version, fetched_at: null });
      expectProblem(await priceOf(project), 404, 'not_found');
      expect(await project.totalCost()).toBe(cost);
    });

    test('only the admin may fetch', async () => {
      for (const method of ['GET', 'POST']) {
        expectProblem(await project.api(method, '/admin/prices/update/'), 401, 'unauthenticated');
      }
    });
  },
);

test.each(badData)(
  'D5.2: of data to be fetched, %s is refused with the reason',
  async (_name, body, status, reason) => {
    const upstream = await startPriceUpstream();
    upstream.answer(body, status);
    const fetched = fetchCatalogue(upstream.url);
    await expect(fetched).rejects.toThrow(CatalogueFetchError);
    await expect(fetched).rejects.toThrow(reason);
    await upstream.stop();
  },
);

test('D5.2: what was fetched is in force until there is a newer package', async () => {
  const { control, close } = await openControl();
  const fetched = snapshotOf({ version: 'fetched', providers: JSON.parse(priced(3)) });
  expect(await storeCatalogueUpdate(control, fetched, 7)).toBe(true);
  expect(await readCatalogueInForce(control)).toMatchObject({ hash: fetched.hash, fetchedAt: 7 });
  await control.updateTable('catalogue_updates').set({ package_version: '0.0.1' }).execute();
  expect(await readCatalogueInForce(control)).toMatchObject({ hash: installedCatalogue().hash, fetchedAt: null });
  await close();
});

test('the data of the package itself is the package, whoever sends it, and a server that is away is reported', async () => {
  const upstream = await startPriceUpstream();
  const { data, hash } = installedCatalogue();
  expect(await fetchCatalogue(upstream.url)).toEqual({ data, hash });
  await upstream.stop();
  await expect(fetchCatalogue(upstream.url)).rejects.toThrow('could not be reached (ECONNREFUSED)');
});

test('a server that sends too much, or nothing for too long, is left', async () => {
  const server = createServer((request, response) => {
    response.writeHead(200);
    if (request.url === '/long') response.write('[');
    else response.end(`[${' '.repeat(2_000)}]`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(fetchCatalogue(`${url}/much`, { timeoutMs: 30_000, maxBytes: 1_000 })).rejects.toThrow(
    'sent more than 1000 bytes',
  );
  await expect(fetchCatalogue(`${url}/long`, { timeoutMs: 200, maxBytes: 1_000 })).rejects.toThrow(
    'did not answer within 0.2 s',
  );
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
