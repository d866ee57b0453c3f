// The page Connect and docs/connect/ say the same.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toWay, type WayId } from '../../dashboard/src/connect/ways.ts';

const target = { origin: 'http://127.0.0.1:8787', clientId: '5045c1bc…', secret: 'fs_…' };

const pages: [WayId, ...pages: string[]][] = [
  ['typescript', 'typescript'],
  ['python', 'python'],
  ['otel-node', 'opentelemetry'],
  ['otel-python', 'opentelemetry', 'python'],
  ['litellm', 'litellm'],
  ['openrouter', 'openrouter'],
  ['claude-code', 'claude-code'],
  ['codex', 'codex'],
];

/** A line without what differs between them for good: quotes and spaces, the address of the service, the id. */
const bare = (line: string): string =>
  line
    .replaceAll(/https?:\/\/[^/\s]+/g, 'http://host')
    .replaceAll(/5045c1bc[-…\w]*/g, 'id')
    .replaceAll(/["'\s]|%20/g, '');

/** What the pages say once for all, or show in an example that is longer. */
const elsewhere =
  /^export (OTEL_TRACES_EXPORTER|FARTHING_)|^with farthing|^(const|await|import|\);|}\),|openai\.|model: 'gpt|messages:)/;

test.each(pages)('the lines of %s on the page Connect are in docs/connect/%s.md', (way, ...described) => {
  const shown = new Set(
    described.flatMap((page) => readFileSync(`docs/connect/${page}.md`, 'utf8').split('\n').map(bare)),
  );
  const lines = toWay(way, target, '').steps.flatMap(({ text }) => text.split('\n'));
  const copied = lines.filter((line) => !elsewhere.test(line.trim())).map(bare);
  expect(copied.filter((line) => ![...shown].some((known) => known.includes(line)))).toEqual([]);
  expect(copied.join('')).not.toBe('');
});
