import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readFilled } from './filled.ts';
import { startService } from './start-service.ts';

/**
 * Measures long answers in each format, on a data folder that `bench/fill.ts` made: rows a second, and the memory of the
 * service above idle, at its highest and after each tenth of the rows. Exits with 1 when the service needed more than
 * 200 MiB.
 *
 *   node bin/runtime.js bench/exports.ts --dir bench-data
 */
const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: 'bench-data' },
    formats: { type: 'string', default: 'csv,ndjson,parquet' },
  },
});
const mostMiB = 200;
const filled = readFilled(values.dir);
const dayMs = 86_400_000;
const dayBefore = (count: number) => new Date(Date.now() - count * dayMs).toISOString().slice(0, 10);
const range = { date_from: dayBefore(filled.days), date_to: dayBefore(1) };
const apiKey = filled.projects.find(({ type }) => type === 'revenue')?.apiKey ?? '';

interface Question {
  readonly name: string;
  readonly path: string;
  readonly body?: Record<string, unknown>;
}

const questions: readonly Question[] = [
  { name: 'calls', path: '/api/calls/', body: range },
  { name: 'costs by day and customer', path: '/api/costs/', body: { ...range, group_by: 'customer' } },
  { name: 'FOCUS', path: `/api/exports/focus/?date_from=${range.date_from}&date_to=${range.date_to}` },
];

const { url, process: service } = await startService(values.dir);
/** Resident memory of the service without its engine, in MiB. */
const readMemory = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;

const ask = (question: Question, format: string) => {
  const mark = question.path.includes('?') ? '&' : '?';
  return fetch(`${url}${question.path}${mark}format=${format}`, {
    method: question.body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(question.body && { body: JSON.stringify(question.body) }),
  });
};

/** Reads an answer to its end. Its rows are the lines of the format, or unknown. */
async function measure(question: Question, format: string) {
  const answer = await ask(question, format);
  if (!answer.ok || !answer.body) throw new Error(await answer.text());
  let bytes = 0;
  let lines = 0;
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(readMemory()), 100);
  const begunAt = performance.now();
  for await (const part of answer.body) {
    bytes += part.length;
    if (format !== 'parquet') for (const byte of part) if (byte === 10) lines += 1;
  }
  clearInterval(timer);
  return { seconds: (performance.now() - begunAt) / 1_000, bytes, rows: lines - (format === 'csv' ? 1 : 0), samples };
}

let worst = 0;
try {
  await (
    await ask({ name: 'warm-up', path: '/api/calls/', body: { ...range, date_from: range.date_to } }, 'csv')
  ).text();
  const idle = readMemory();
  console.log(`${filled.calls.toLocaleString('en')} calls over ${filled.days} days; idle ${idle.toFixed(0)} MiB\n`);
  console.log(
    '| Answer | format | rows | rows a second | MB | MiB above idle, by tenths | highest |\n|---|---|---|---|---|---|---|',
  );
  for (const question of questions) {
    let rowsOfAnswer = 0;
    for (const format of values.formats.split(',')) {
      const { seconds, bytes, rows, samples } = await measure(question, format);
      if (format !== 'parquet') rowsOfAnswer = rows;
      const above = samples.map((memory) => memory - idle);
      const tenths = Array.from({ length: 10 }, (_, tenth) =>
        (above[Math.floor(((tenth + 1) * (above.length - 1)) / 10)] ?? 0).toFixed(0),
      );
      const highest = Math.max(...above, 0);
      worst = Math.max(worst, highest);
      console.log(
        `| ${question.name} | ${format} | ${rowsOfAnswer.toLocaleString('en')} | ${Math.round(rowsOfAnswer / seconds).toLocaleString('en')} | ${(bytes / 1e6).toFixed(1)} | ${tenths.join(' ')} | ${highest.toFixed(0)} |`,
      );
    }
  }
  if (worst > mostMiB) {
    console.error(`The service needed ${worst.toFixed(0)} MiB above idle: more than ${mostMiB}.`);
    process.exitCode = 1;
  }
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
}
