// Runs the code of the pages that say how to connect an application, and of the packages' own READMEs (D15, D35).
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSdk } from '../../scripts/build-sdk.ts';
import { type FakeProvider, startFakeProvider } from '../clients/fake-provider.ts';
import { countShown, expectExamples } from './expect-page.ts';
import { type Desk, openDesk, readExamples } from './run-page.ts';

const pages = ['typescript', 'ai-sdk', 'curl', 'python'].map((name) => `docs/connect/${name}.md`);
/** The Python package, and its stand-in for `openai`, which asks the provider as the real one does. */
const pythonPath = ['src', 'tests/standins'].map((folder) =>
  fileURLToPath(new URL(`../../packages/python/${folder}`, import.meta.url)),
);

test('D15.4: each page about connecting an application shows what its code prints', () => {
  for (const page of pages) expect(countShown(readExamples(page)), page).toBeGreaterThan(0);
});

describe('the pages that connect an application', () => {
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
      PYTHONPATH: pythonPath.join(delimiter),
      PYTHONDONTWRITEBYTECODE: '1',
    };
  });

  afterAll(async () => {
    await desk.close();
    await fake.close();
  });

  // A reader puts in the settings that some pages show without their values.
  const settings = readExamples('docs/connect/typescript.md').slice(0, 1);

  test.each(pages)('D15.4: the code of %s runs, and prints what is shown beside it', async (page) => {
    await expectExamples(desk, [...settings, ...readExamples(page)], variables);
  });

  test.each(['sdk', 'python'])(
    'D15.4: the code of packages/%s/README.md runs with the settings that it names',
    async (name) => {
      await expectExamples(desk, [...settings, ...readExamples(`packages/${name}/README.md`)], variables);
    },
  );
});
