import { beforeAll, expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { type Complaint, exemptions, isExempt, lintByRedocly, lintBySpectral } from './linters.ts';

let document: string;
let complaints: readonly Complaint[];

beforeAll(async () => {
  document = (await sharedFarthing().send('GET', '/openapi.json')).text;
  complaints = [...(await lintByRedocly(document)), ...(await lintBySpectral(document))];
});

test('D11.3: two public linters find nothing in the document that they recommend against, not even a warning', () => {
  expect(complaints.filter((one) => !isExempt(one))).toEqual([]);
});

test('D11.3: every exemption from a rule of a linter is needed, and has its reason', () => {
  const idle = exemptions.filter(
    ({ rule, places }) => !complaints.some((one) => one.rule === rule && places.test(one.at)),
  );
  expect(idle).toEqual([]);
  for (const { reason } of exemptions) expect(reason).toMatch(/^[A-Z].{30,}\.$/);
});

test('D11.3: the linters find what is wrong, so their silence says something', async () => {
  // Two operations with one id, in a document that is small, so that it is read quickly.
  const once = { get: { operationId: 'getProject', responses: { 200: { description: 'The project.' } } } };
  const paths = { '/api/project/': once, '/api/again/': once };
  const broken = JSON.stringify({ openapi: '3.1.0', info: { title: 'Broken', version: '1.0.0' }, paths });
  const rulesOf = (found: readonly Complaint[]) => found.map(({ rule }) => rule);
  expect(rulesOf(await lintByRedocly(broken))).toContain('operation-operationId-unique');
  expect(rulesOf(await lintBySpectral(broken))).toContain('operation-operationId-unique');
});
