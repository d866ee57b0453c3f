// Clients that generators for Python make of the OpenAPI document: they pass mypy, and ask for JSON, CSV and Parquet.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';

const farthing = sharedFarthing();
const folder = mkdtempSync(join(tmpdir(), 'farthing-generated-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

test('D11.3, D35.3: openapi-python-client and datamodel-code-generator make clients that pass mypy and get every format', async () => {
  const project = await farthing.createProject();
  await project.post(...['', 'NA', 'acme'].map((customer) => costEvent({ cost: 0.1, tags: { customer } })));
  writeFileSync(join(folder, 'openapi.json'), (await farthing.send('GET', '/openapi.json')).text);
  const env = { ...process.env, FARTHING_URL: farthing.url, FARTHING_API_KEY: project.apiKey };
  const { stdout } = await promisify(execFile)('python3', [fileOf('generate.py'), folder], { env, maxBuffer: 2 ** 24 });
  expect(stdout).toMatch(/\nwell\n$/);
  // A schema that the client would lack, with all answers that are of it.
  expect(stdout).not.toMatch(/Unable to parse schema|Could not find reference/);
});
