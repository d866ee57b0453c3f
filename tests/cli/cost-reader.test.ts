import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openCostReader } from '../../src/cli/cost-reader.ts';

test('D16.2, D4.7: costs are asked for again while the service catches up with an import', async () => {
  const problem = { status: 503, code: 'catching_up', detail: 'Ask again.' };
  const row = { event_id: 'e', model: 'm', cost: 1, cost_source: 'reported' };
  const asked: unknown[] = [];
  const service = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body !== '') asked.push(JSON.parse(body));
    response.statusCode = asked.length === 1 ? 503 : 200;
    response.end(JSON.stringify(asked.length === 1 ? problem : { rows: [row] }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const read = await openCostReader({ url, clientId: 'c', secret: 's', apiKey: 'fk_1', token: undefined });
  const at = Date.UTC(2026, 0, 15, 23);
  expect(await read?.({ ids: ['e'], fromMs: at, toMs: at })).toEqual([row]);
  // A day more on both sides: the timezone of the project is not known.
  const question = { date_from: '2026-01-14', date_to: '2026-01-16', event_ids: ['e'], limit: 1000 };
  expect(asked).toEqual([question, question]);
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
});
