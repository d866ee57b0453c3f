import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GeneratedClients, generateClients } from '../../clients/openapi/generated.ts';
import { sharedFarthing } from '../../support/client.ts';
import { type Operation, readOperations } from '../../support/openapi.ts';
import { goodRequests } from './requests.ts';
import { recordingFetch, type Through, worldThrough } from './through-client.ts';
import { makeWorld } from './world.ts';

const farthing = sharedFarthing();
let operations: Operation[];
let clients: GeneratedClients;

beforeAll(async () => {
  const [{ text }, read] = await Promise.all([farthing.send('GET', '/openapi.json'), readOperations(farthing)]);
  operations = read;
  clients = await generateClients(text);
});
afterAll(() => clients?.remove());

test('D11.3: two public generators make clients that compile, with the example of every body', async () => {
  expect(await clients.findTypeFaults(operations)).toBe('');
});

test('D11.3: every operation answers the clients that two public generators make', async () => {
  const connected = await clients.connect(farthing.url, recordingFetch);
  expect(connected).toHaveLength(2);
  const faults: string[] = [];
  for (const client of connected) {
    const asked = new Set<string>();
    const note: Through['note'] = (key, parsed) => {
      asked.add(key);
      if (parsed) expect(parsed.data, `${client.name} ${key}`).toEqual(parsed.body);
    };
    const world = worldThrough(await makeWorld(farthing), { client, operations, note });
    await Promise.all(
      Object.entries(goodRequests).map(async ([key, drive]) => {
        const [answer] = [await drive(world)].flat();
        if (!answer || answer.status >= 300) faults.push(`${client.name} ${key}: ${answer?.status} ${answer?.text}`);
        if (!asked.has(key)) faults.push(`${client.name} ${key}: the request did not go through the client`);
      }),
    );
  }
  expect(faults).toEqual([]);
});
