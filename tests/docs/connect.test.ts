// Runs the code of the pages that say how to connect an application, and of the SDK's own README (D15).
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildSdk } from '../../scripts/build-sdk.ts';
import { type FakeProvider, startFakeProvider } from '../clients/fake-provider.ts';
import { countShown, expectExamples } from './expect-page.ts';
import { type Desk, openDesk, readExamples } from './run-page.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const pages = ['typescript', 'ai-sdk', 'curl', ...(hasPython ? ['python'] : [])].map(
  (name) => `docs/connect/${name}.md`,
);

let desk: Desk;
let fake: FakeProvider;
let variables: Record<string, string>;

beforeAll(async () => {
  // The examples import the package by its name, so it must be built where it is.
  await buildSdk();
  [desk, fake] = await Promise.all([openDesk(), startFakeProvider()]);
  variables = {
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: fake.url('openai'),
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: fake.url('anthropic'),
  };
});

afterAll(async () => {
  await desk.close();
  await fake.close();
});

test.each(pages)('D15.4: the code of %s runs, and prints what is shown beside it', async (page) => {
  const examples = readExamples(page);
  expect(countShown(examples)).toBeGreaterThan(0);
  await expectExamples(desk, examples, variables);
});

test('D15.4: the code of packages/sdk/README.md runs with the settings that it names', async () => {
  const settings = readExamples('docs/connect/typescript.md').slice(0, 1);
  await expectExamples(desk, [...settings, ...readExamples('packages/sdk/README.md')], variables);
});
