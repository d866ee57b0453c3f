import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GeneratedClients, generateClients } from '../../clients/openapi/generated.ts';
import { sharedFarthing } from '../../support/client.ts';
import { isLong, seed } from '../../support/effort.ts';
import { compareWithDocument, type Operation, readOperations } from '../../support/openapi.ts';
import { goodRequests } from './requests.ts';
import { recordingFetch, type Through, worldThrough } from './through-client.ts';
import { makeWorld } from './world.ts';

const farthing = sharedFarthing();
const requestsFile = 'tests/api/D11.3-openapi/requests.ts';
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

test('D11.3: every operation answers the clients that two public generators make, and as the document says', async () => {
  const described = new Set(operations.map(({ key }) => key));
  expect(Object.keys(goodRequests).filter((key) => !described.has(key))).toEqual([]);
  const connected = await clients.connect(farthing.url, recordingFetch);
  expect(connected).toHaveLength(2);
  const faults: string[] = [];
  for (const [index, client] of connected.entries()) {
    const asked = new Set<string>();
    const note: Through['note'] = (key, parsed) => {
      asked.add(key);
      if (parsed) expect(parsed.data, `${client.name} ${key}`).toEqual(parsed.body);
    };
    const world = worldThrough(await makeWorld(farthing), { client, operations, note });
    // Each operation through one of the clients, in the next run maybe through the other.
    const ofClient = isLong ? operations : operations.filter((_one, at) => (at + seed) % connected.length === index);
    await Promise.all(
      ofClient.map(async (operation) => {
        const { key } = operation;
        const drive = goodRequests[key];
        if (!drive) return faults.push(`${key}: add a good request to it in a file of ${requestsFile}`);
        const answers = [await drive(world)].flat();
        const [good] = answers;
        if (!good || good.status >= 300) faults.push(`${client.name} ${key}: ${good?.status} ${good?.text}`);
        if (!asked.has(key)) faults.push(`${client.name} ${key}: the request did not go through the client`);
        return faults.push(...answers.flatMap((answer) => compareWithDocument(operation, answer)));
      }),
    );
  }
  expect(faults).toEqual([]);
});
