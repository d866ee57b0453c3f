import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connectFetchClient,
  type GeneratedClient,
  type GeneratedClients,
  generateClients,
} from '../../clients/openapi/generated.ts';
import { sharedFarthing } from '../../support/client.ts';
import { isLong, someOf, usualOrLong } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { compareWithDocument, type Operation, readOperations } from '../../support/openapi.ts';
import { goodRequests } from './requests.ts';
import { recordingFetch, type Through, worldThrough } from './through-client.ts';
import { makeWorld } from './world.ts';

const farthing = sharedFarthing();
const requestsFile = 'tests/api/D11.3-openapi/requests.ts';
let operations: Operation[];
/** The client of openapi-fetch, of which nothing is generated but types. In the long form also the generated one. */
let clients: GeneratedClient[];
let generated: GeneratedClients | undefined;

beforeAll(async () => {
  operations = await readOperations(farthing);
  if (isLong) generated = await generateClients((await farthing.send('GET', '/openapi.json')).text);
  clients = (await generated?.connect(farthing.url, recordingFetch)) ?? [
    connectFetchClient(farthing.url, recordingFetch),
  ];
});
afterAll(() => generated?.remove());

longTest('D11.3: two public generators make clients that compile, with the example of every body', async () => {
  expect(await generated?.findTypeFaults(operations)).toBe('');
});

test('D11.3: operations answer the clients of public generators, and as the document says', async () => {
  const described = new Set(operations.map(({ key }) => key));
  expect(Object.keys(goodRequests).filter((key) => !described.has(key))).toEqual([]);
  const lacking = operations.filter(({ key }) => !goodRequests[key]);
  expect(lacking.map(({ key }) => `${key}: add a good request to it in a file of ${requestsFile}`)).toEqual([]);
  expect(clients).toHaveLength(usualOrLong(1, 2));
  const faults: string[] = [];
  for (const client of clients) {
    const asked = new Set<string>();
    const note: Through['note'] = (key, parsed) => {
      asked.add(key);
      if (parsed) expect(parsed.data, `${client.name} ${key}`).toEqual(parsed.body);
    };
    const world = worldThrough(await makeWorld(farthing), { client, operations, note });
    const check = async (operation: Operation) => {
      const { key } = operation;
      const answers = [await goodRequests[key]?.(world)].flat().filter((answer) => answer !== undefined);
      const [good] = answers;
      if (!good || good.status >= 300) faults.push(`${client.name} ${key}: ${good?.status} ${good?.text}`);
      if (!asked.has(key)) faults.push(`${client.name} ${key}: the request did not go through the client`);
      faults.push(...answers.flatMap((answer) => compareWithDocument(operation, answer)));
    };
    const tried = someOf(operations, 40);
    const isFile = ({ path }: Operation) => path.startsWith('/api/files/');
    await Promise.all(tried.filter((operation) => !isFile(operation)).map(check));
    // A project streams only a few files at once.
    for (const operation of tried.filter(isFile)) await check(operation);
  }
  expect(faults).toEqual([]);
});
