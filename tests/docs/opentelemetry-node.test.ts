// D14.1, D15.4: the lines of docs/connect/opentelemetry.md for Node, in a new folder, with the packages as they are published
// today. In the long form only: npm installs some 250 of them.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../clients/fake-provider.ts';
import { connect, type Project } from '../support/client.ts';
import { whenThisProcessEnds } from '../support/leash.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const page = readFileSync('docs/connect/opentelemetry.md', 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'farthing-docs-'));
const letGo = whenThisProcessEnds('rm -rf -- "$0"', folder);
let service: Service;
let project: Project;
let fake: FakeProvider;

beforeAll(async () => {
  [service, fake] = await Promise.all([startService({ dataDir: makeMigratedDataDir() }), startFakeProvider()]);
  project = await connect(service.url, service.adminToken).createProject();
});

afterAll(async () => {
  await Promise.all([service.stop(), fake.close()]);
  letGo();
  rmSync(folder, { recursive: true, force: true });
});

/** The block of a language that follows a heading of the page. */
function blockAfter(heading: string, language: string): string {
  const [, block] =
    new RegExp(`^## ${heading}$[\\s\\S]*?^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  if (block === undefined) throw new Error(`The page has no block of ${language} under ${heading}`);
  return block;
}

/** A program of somebody who knows nothing of Farthing: the client of Anthropic makes its own spans. */
const app = `import Anthropic from '@anthropic-ai/sdk';
const message = { model: 'claude-opus-4-8', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
await new Anthropic().messages.create(message);
`;

test('D14.1, D15.4: the lines for Node install, run, and bring a call with its tokens', {
  timeout: 900_000,
}, async () => {
  const settings = blockAfter('Any exporter', 'sh')
    .replace('http://127.0.0.1:8787', service.url)
    .replace('5045c1bc…', project.clientId)
    .replace('fs_…', project.secret);
  const [install = '', run = ''] = blockAfter('Node', 'text').trim().split('\n');
  expect([install, run]).toEqual([expect.stringMatching(/^npm install /), expect.stringMatching(/^node --import /)]);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'app.js'), app);
  const script = ['set -e', settings, install, 'npm install @anthropic-ai/sdk', run].join('\n');
  const env = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: fake.url('anthropic'),
  };
  await promisify(execFile)('bash', ['-c', script], { cwd: folder, env });
  const { body } = await project.api('POST', '/api/calls/', { date_from: new Date().toISOString().slice(0, 10) });
  expect(body).toMatchObject({
    rows: [
      {
        model: expect.stringContaining('claude-opus-4'),
        provider: 'anthropic',
        tokens: { output: expect.any(Number) },
      },
    ],
  });
  expect(Object(body).rows[0].cost).toBeGreaterThan(0);
});
