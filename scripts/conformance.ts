// Writes docs/conformance.md: which tests hold which rule. Run it after a test, or a rule in docs/conformance.json, is added or renamed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { listFiles, readSource, root } from '../tests/tidy/sources.ts';

const page = 'docs/conformance.md';

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

export const readRules = (): Group[] => groups.parse(JSON.parse(readSource('docs/conformance.json').text));

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

/** The page: the files of each rule's tests, then every title by its id. */
export function renderConformance(rules: readonly Group[], tests: readonly TestTitle[]): string {
  const tables = rules.map(({ title, rules: ofGroup }) => {
    const rows = ofGroup.map(
      (rule) => `| ${escapeCell(rule.id)} | ${escapeCell(rule.rule)} | ${linkFiles(findHolders(rule, tests))} |`,
    );
    return [`### ${title}`, '', '| Rule | Says | Held by |', '|---|---|---|', ...rows].join('\n');
  });
  const ids = [...new Set(tests.flatMap((test) => test.ids))].sort(compareIds);
  const lists = ids.map((id) => {
    const titles = tests
      .filter((test) => test.ids.includes(id))
      .map(({ path, title }) => `- ${link(path)}: \`\` ${title} \`\``);
    return [`### Tests of ${id}`, '', ...titles].join('\n');
  });
  return [
    '# Conformance',
    'This page shows which tests hold which rule. It is for a reader who wants to know whether a rule is tested, and for an engineer who changes a rule and looks for its tests.',
    'Rules have ids: a number names a section and row of the specification of the API; a D with a number names a decision that completes it. The title of a test begins with the ids of the rules that it holds, or names them in brackets.',
    'The rules are in [conformance.json](conformance.json). The command `node bin/runtime.js scripts/conformance.ts` writes this page. A test fails when the page is out of date or when a rule has no test.',
    '## Rules',
    'For each rule, the files of its tests. The number after a file is how many of its tests hold the rule.',
    ...tables,
    '## Tests by id',
    'For each id, the titles of its tests.',
    ...lists,
  ]
    .join('\n\n')
    .concat('\n');
}

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const link = (path: string): string => `[${path.replace(/^tests\//, '')}](../${path})`;

/** Each file once, with the number of its tests that hold the rule. */
function linkFiles(holders: readonly TestTitle[]): string {
  const counts = new Map<string, number>();
  for (const { path } of holders) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts].map(([path, count]) => `${link(path)} ${count}`).join(', ');
}

/** Sections of the specification first, then decisions, each by its numbers. */
function compareIds(a: string, b: string): number {
  const key = (id: string) => [id.startsWith('D') ? 1 : 0, ...id.replace('D', '').split('.').map(Number)];
  const [left, right] = [key(a), key(b)];
  return (
    left.map((part, index) => part - (right[index] ?? -1)).find((difference) => difference !== 0) ??
    left.length - right.length
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rules, tests] = [readRules(), readTestTitles()];
  writeFileSync(join(root, page), renderConformance(rules, tests));
  const held = rules.flatMap(({ rules: ofGroup }) => ofGroup);
  const missing = held.filter((rule) => findHolders(rule, tests).length === 0);
  console.log(`${page}: ${held.length} rules, ${tests.length} tests`);
  if (missing.length > 0) console.log(`No test holds ${missing.map(({ id }) => id).join('; ')}`);
}
