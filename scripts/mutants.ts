/*
 * Changes the pure modules in many small ways, each a mutant, and counts those that no unit test notices:
 *
 *   npm run test:mutants [-- GROUP …]
 *
 * Ends with 1 when the tests of a group notice too few. What is known of code and tests that have not changed is not tried again;
 * constants of a module are tried again once `node_modules/.cache/mutants-*.json` is deleted.
 *
 * Nobody can notice: a cached value that is dropped or not cached; a bound or sign where both ways give the same (0, a grant exactly
 * as large as the rest, two entries of one instant and id); a check of what is refused elsewhere; the `^` or `$` of a pattern that no
 * name in the catalogue tells apart; a default that only the types need.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

interface Group {
  readonly files: readonly string[];
  /** The tests that have to notice. */
  readonly tests: readonly string[];
}

const root = resolve(import.meta.dirname, '..');

const groups: Readonly<Record<string, Group>> = {
  money: { files: ['src/lib/money.ts'], tests: ['tests/pricing/money.test.ts'] },
  usage: {
    files: [
      ...['usage', 'usage-objects', 'split-usage', 'answer-levels', 'answer-units'].map(
        (name) => `src/usage/${name}.ts`,
      ),
      ...readdirSync(join(root, 'src/usage/readers'))
        // The one is addresses alone, the other paths that nothing reads.
        .filter((name) => !['sources.ts', 'without-price.ts'].includes(name))
        .map((name) => `src/usage/readers/${name}`),
      'src/calls/attribution.ts',
    ],
    tests: [
      'tests/calls/{answer-units,usage,usage-checks,usage-units,usage-names,usage-laws,usage-coverage,attribution}.test.ts',
      'tests/pricing/{provider-shapes,usage-to-cost}.test.ts',
    ],
  },
  pricing: {
    files: ['cost', 'model-price', 'overrides', 'price-book', 'rates'].map((name) => `src/pricing/${name}.ts`),
    tests: [
      'tests/pricing/{cost,model-price,overrides,price-book,terms-and-units,golden-supplements,supplements,what-if}.test.ts',
    ],
  },
  catalogue: {
    files: ['catalogue', 'catalogue-entry', 'catalogue-match', 'reviewed-prices', 'model-names'].map(
      (name) => `src/pricing/${name}.ts`,
    ),
    tests: ['tests/pricing/{catalogue,golden,golden-supplements,model-names,popular-models,supplements}.test.ts'],
  },
  credits: {
    files: ['src/reports/facts/burn-down.ts', 'src/billing/credits/balance.ts'],
    tests: ['tests/credits/*.test.ts'],
  },
  revenue: { files: ['src/reports/facts/allocation.ts'], tests: ['tests/revenue/allocation.test.ts'] },
  periods: {
    files: ['src/reports/asking/periods.ts', 'src/lib/days.ts', 'src/lib/times.ts'],
    tests: ['tests/reports/periods.test.ts', 'tests/lib/*.test.ts'],
  },
  cursors: {
    files: ['src/lib/http/cursor.ts', 'src/reports/asking/cursor.ts'],
    tests: ['tests/http/cursor.test.ts', 'tests/reports/cursor.test.ts'],
  },
};

/** The least share of a group's mutants that its tests must notice, in percent. */
const leastPct = 85;
const cache = join('node_modules', '.cache');
const stryker = join(
  dirname(createRequire(import.meta.url).resolve('@stryker-mutator/core/package.json')),
  'bin/stryker.js',
);

interface Report {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string;
        readonly mutants: readonly {
          readonly status: string;
          readonly mutatorName: string;
          readonly replacement?: string;
          readonly location: { readonly start: { readonly line: number; readonly column: number } };
        }[];
      }
    >
  >;
}

function run(name: string, { files, tests }: Group): Report {
  const report = join(cache, `mutants-${name}.json`);
  const { status } = spawnSync(
    process.execPath,
    [stryker, 'run', '--mutate', files.join(','), '--incremental', '--incrementalFile', report],
    { cwd: root, stdio: 'inherit', env: { ...process.env, MUTANTS_TESTS: tests.join(' ') } },
  );
  if (status !== 0) throw new Error(`The mutants of ${name} could not be tried.`);
  return JSON.parse(readFileSync(join(root, report), 'utf8'));
}

/** Prints what was not noticed. Answers the share that was, in percent. */
function judge(name: string, { files: judged }: Group, { files }: Report): number {
  const counts = { noticed: 0, all: 0 };
  for (const [file, { source, mutants }] of Object.entries(files)) {
    // What an earlier run of other files has left.
    if (!judged.includes(file)) continue;
    const lines = source.split('\n');
    for (const { status, mutatorName, replacement = '', location } of mutants) {
      if (status === 'Ignored' || status === 'CompileError' || status === 'RuntimeError') continue;
      const { line, column } = location.start;
      const code = lines[line - 1]?.slice(column - 1) ?? '';
      // The page that documents a path changes nothing.
      if (code.startsWith("'https://")) continue;
      counts.all += 1;
      if (status === 'Killed' || status === 'Timeout') counts.noticed += 1;
      else {
        console.log(`${file}:${line}:${column} ${mutatorName}: ${code} → ${replacement.replaceAll(/\s+/g, ' ')}`);
      }
    }
  }
  const pct = (100 * counts.noticed) / counts.all;
  console.log(`${name}: ${counts.noticed} of ${counts.all} mutants are noticed, ${pct.toFixed(1)} %.\n`);
  return pct;
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in groups));
if (unknown.length > 0) throw new Error(`There is no group ${unknown.join(', ')}: ${Object.keys(groups).join(', ')}.`);
const chosen = Object.entries(groups).filter(([name]) => asked.length === 0 || asked.includes(name));
const reports = chosen.map(([name, group]) => ({ name, group, report: run(name, group) }));
const low = reports.filter(({ name, group, report }) => judge(name, group, report) < leastPct).map(({ name }) => name);
if (low.length > 0) {
  console.error(`Less than ${leastPct} % of the mutants of ${low.join(', ')} are noticed.`);
  process.exit(1);
}
