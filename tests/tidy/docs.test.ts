import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { alertKinds, definitions } from '../../src/alerting/kinds/kinds.ts';
import { projectMetrics } from '../../src/alerting/project-metrics/exposition.ts';
import { environment } from '../../src/config.ts';
import { Metrics } from '../../src/lib/http/metrics.ts';
import { problemTable } from '../../src/lib/http/problem-table.ts';
import { sessionCookie } from '../../src/lib/http/session-cookie.ts';
import { listFiles, readSource, root } from './sources.ts';

const pages = listFiles()
  .filter((path) => path.endsWith('.md'))
  .map(readSource);
const page = (path: string): string => readSource(path).text;

/** The cells of each row of the table that has this first heading. */
function readTable(text: string, firstHeading: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${firstHeading} `));
  if (start === -1) throw new Error(`There is no table with the heading ${firstHeading}`);
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  return lines.slice(start + 2, length === -1 ? undefined : start + length).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const unquote = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');

test('docs/operations/configuration.md lists every setting with its default and its meaning', () => {
  const settings = Object.entries(environment).map(([name, { schema, about }]) => {
    const value: unknown = schema.safeParse(undefined).data;
    // The path is made absolute when it is read, so the default differs by machine.
    const shown = name === 'FARTHING_DATA_DIR' ? './farthing-data' : value;
    return [`\`${name}\``, shown === undefined ? '–' : `\`${String(shown)}\``, about];
  });
  expect(readTable(page('docs/operations/configuration.md'), 'Variable')).toEqual(settings);
});

test('docs/api/errors.md lists every problem with its status and its title', () => {
  const documented = readTable(page('docs/api/errors.md'), 'Code').map(([code, status, title]) => [
    unquote(code),
    status,
    title,
  ]);
  const known = Object.entries(problemTable).map(([code, { status, title }]) => [code, String(status), title]);
  expect(documented.toSorted()).toEqual(known.toSorted());
});

/** Every metric on `/metrics`. */
async function listMetrics() {
  const metrics = new Metrics();
  metrics.watch(new Proxy({}, { get: () => () => 0 }) as Parameters<Metrics['watch']>[0]);
  return await metrics.registry.getMetricsAsJSON();
}

test('docs/operations/monitoring.md lists every metric named farthing_* with its type and its meaning', async () => {
  const known = (await listMetrics())
    .filter(({ name }) => name.startsWith('farthing_'))
    .map(({ name, type, help }) => [name, String(type), help]);
  const documented = readTable(page('docs/operations/monitoring.md'), 'Metric').map(([name, type, help]) => [
    unquote(name),
    type,
    help,
  ]);
  expect(documented.toSorted()).toEqual(known.toSorted());
});

/** The names that a pattern such as `a_{b,c}_d` stands for. */
function expand(pattern: string): string[] {
  const [, before = '', choices, after = ''] = /^(.*?)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  if (choices === undefined) return [pattern];
  return choices.split(',').flatMap((choice) => expand(`${before}${choice}${after}`));
}

test('D24.4: docs/api/metrics.md lists every metric of /api/metrics/ with its labels', () => {
  const known = projectMetrics.map(({ name, labels }) => `${name}: ${labels.join(', ')}`);
  const documented = readTable(page('docs/api/metrics.md'), 'Metric').flatMap(([pattern, labels]) =>
    expand(unquote(pattern)).map((name) => {
      const ofDimension = /^farthing_(customer|feature|model)_/.exec(name)?.[1];
      return `${name}: ${ofDimension ? unquote(labels).replace('<dimension>', ofDimension) : unquote(labels)}`;
    }),
  );
  expect(documented.toSorted()).toEqual(known.toSorted());
});

test('D20.3: docs/api/alerts.md lists every kind of alert with its settings and their defaults', () => {
  const documented = [...page('docs/api/alerts.md').matchAll(/^- \*\*`(\w+)`\*\* .*? Settings: (.*)$/gm)].map(
    ([, kind, settings = '']) => [
      kind,
      [...settings.matchAll(/`(\w+)` `([\w.]+)`/g)].map(([, ...one]) => one.join(' ')),
    ],
  );
  const known = alertKinds.map((kind) => [
    kind,
    Object.entries(definitions[kind].settings).map(([name, setting]) => `${name} ${setting.default}`),
  ]);
  expect(documented).toEqual(known);
});

test('no page names a metric or a setting that does not exist', async () => {
  const metrics = [...(await listMetrics()), ...projectMetrics].map(({ name }) => name);
  const clientSettings = ['FARTHING_URL', 'FARTHING_CLIENT_ID', 'FARTHING_CLIENT_SECRET', 'FARTHING_API_KEY'];
  const known = new Set([...metrics, ...Object.keys(environment), ...clientSettings, sessionCookie]);
  const strangers = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:farthing_[a-z_]+[a-z]|FARTHING_[A-Z_]+[A-Z])\b/g)]
      .map(([name]) => name)
      .filter((name) => !known.has(name.replace(/_(?:bucket|sum|count)$/, '')) && !known.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(strangers).toEqual([]);
});

/** The anchor of a heading in the rendered page. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

test('every link within the repository leads somewhere', () => {
  const broken = pages.flatMap(({ path, text }) =>
    [...text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const linked = file === '' ? path : normalize(join(dirname(path), file));
        if (!existsSync(join(root, linked))) return true;
        if (anchor === undefined) return false;
        return !page(linked)
          .split('\n')
          .some((line) => /^#+ /.test(line) && toAnchor(line.replace(/^#+ /, '')) === anchor);
      })
      .map((target) => `${path}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test('every page can be reached from README.md', () => {
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path) || !existsSync(join(root, path)) || !path.endsWith('.md')) return;
    reached.add(path);
    for (const [, target = ''] of page(path).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (!/^[a-z]+:/.test(target)) visit(normalize(join(dirname(path), target)));
    }
  };
  visit('README.md');
  expect(pages.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
});

test('docs/security.md names a test for every claim', () => {
  const claims = page('docs/security.md')
    .split('\n### ')
    .slice(1)
    .flatMap((section) => readTable(`### ${section}`, 'Claim'));
  expect(claims.length).toBeGreaterThan(20);
  const without = claims.filter(([, holders]) => !/\]\(\.\.\/tests\/[\w./-]+\.test\.ts\)/.test(holders ?? ''));
  expect(without).toEqual([]);
});
