// Prints which tests hold which rule: of tests/conformance.json, or of the ids that are given.
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { listFiles, readSource } from '../tests/tidy/sources.ts';

const groups = z.array(
  z.strictObject({
    title: z.string(),
    rules: z.array(
      z.strictObject({
        id: z.string(),
        rule: z.string(),
        /** The tests that hold the rule: an id that their titles name, a file or folder of tests, or `id in folder`. */
        heldBy: z.array(z.string()).min(1),
      }),
    ),
  }),
);
type Group = z.infer<typeof groups>[number];
type Rule = Group['rules'][number];

export interface TestTitle {
  readonly path: string;
  readonly title: string;
  /** The ids that the title names: before its colon, or in brackets. */
  readonly ids: readonly string[];
}

export const readRules = (): Group[] => groups.parse(JSON.parse(readSource('tests/conformance.json').text));

/** Every test of the repository, by its title as the source spells it. */
export function readTestTitles(): TestTitle[] {
  return (
    listFiles('tests')
      // Some test files have their tests in modules beside them; `support` has none, but model.test.ts.
      .filter((path) => path.endsWith('.test.ts') || (path.endsWith('.ts') && !path.startsWith('tests/support/')))
      .flatMap((path) => findTitles(path, readSource(path).text))
  );
}

/** A title is the first argument of a call of `test`, of `longTest`, of `it`, or of the function that `test.each(…)` returns. */
export function findTitles(path: string, text: string): TestTitle[] {
  const call = /(?:\b(?:test|longTest|it)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,/g;
  return [...text.matchAll(call)].map(([, , title = '']) => ({
    path,
    title: title.replaceAll("\\'", "'"),
    ids: findIds(title),
  }));
}

/** `D10.1, D5.3: tags survive a kill (D3.2)` names D10.1, D5.3 and D3.2. */
function findIds(title: string): string[] {
  const id = String.raw`(?:D\d+(?:\.\d+)?|\d+(?:\.\d+)?)`;
  const leading = new RegExp(`^(${id}(?:, ${id})*): `).exec(title)?.[1] ?? '';
  const cited = [...title.matchAll(/\((D\d+(?:\.\d+)?(?:, D\d+(?:\.\d+)?)*)\)/g)].map(([, ids = '']) => ids);
  return [leading, ...cited].flatMap((ids) => ids.split(', ')).filter((one) => one !== '');
}

/** The tests that hold a rule. */
export function findHolders({ heldBy }: Rule, tests: readonly TestTitle[]): TestTitle[] {
  const found = heldBy.flatMap((reference) => {
    const [id = '', folder = ''] =
      reference.includes('/') && !reference.includes(' in ') ? ['', reference] : reference.split(' in ');
    return tests.filter((test) => (id === '' || test.ids.includes(id)) && isWithin(test.path, folder));
  });
  return [...new Set(found)];
}

const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [asked, tests] = [process.argv.slice(2), readTestTitles()];
  for (const rule of readRules().flatMap(({ rules }) => rules)) {
    if (asked.length > 0 && !asked.some((id) => rule.id === id || rule.id.startsWith(`${id} `))) continue;
    console.log(`${rule.id}: ${rule.rule}`);
    for (const { path, title } of findHolders(rule, tests)) console.log(`  ${path}: ${title}`);
  }
}
