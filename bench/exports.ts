import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readFilled } from './filled.ts';
import { startService } from './start-service.ts';

/**
 * Measures long answers in each format, each from a service of its own, on a data folder that `bench/fill.ts` made: rows a
 * second, and the memory of the service above idle, at its highest and after each tenth of the time. Exits with 1 when the service needed more than
 * 200 MiB. `--only calls` asks one of the answers.
 *
 *   node bin/runtime.js bench/exports.ts --dir bench-data
 */
const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: 'bench-data' },
    formats: { type: 'string', default: 'csv,ndjson,parquet' },
    only: { type: 'string' },
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

const allQuestions: readonly Question[] = [
  { name: 'calls', path: '/api/calls/', body: range },
  { name: 'costs by day and customer', path: '/api/costs/', body: { ...range, group_by: 'customer' } },
  { name: 'FOCUS', path: `/api/exports/focus/?date_from=${range.date_from}&date_to=${range.date_to}` },
];
const questions = allQuestions.filter(({ name }) => values.only === undefined || name === values.only);

interface Measured {
  readonly idle: number;
  readonly seconds: number;
  readonly bytes: number;
  /** The lines of the format; unknown for a binary one. */
  readonly rows: number | undefined;
  /** Resident memory of the service without its engine, in MiB, ten times a second. */
  readonly samples: readonly number[];
}

/** Reads an answer to its end from a service that has just started and answered the calls of one day. */
async function measure(question: Question, format: string): Promise<Measured> {
  const { url, process: service } = await startService(values.dir);
  const readMemory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  const ask = async ({ path, body }: Omit<Question, 'name'>) => {
    const answer = await fetch(`${url}${path}${path.includes('?') ? '&' : '?'}format=${format}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok || !answer.body) throw new Error(await answer.text());
    return answer.body;
  };
  try {
    for await (const _part of await ask({ path: '/api/calls/', body: { ...range, date_from: range.date_to } }));
    const idle = readMemory();
    const samples: number[] = [];
    const timer = setInterval(() => samples.push(readMemory()), 100);
    let bytes = 0;
    let lines = 0;
    const begunAt = performance.now();
    for await (const part of await ask(question)) {
      bytes += part.length;
      if (format !== 'parquet') for (const byte of part) if (byte === 10) lines += 1;
    }
    clearInterval(timer);
    const seconds = (performance.now() - begunAt) / 1_000;
    return {
      idle,
      seconds,
      bytes,
      rows: format === 'parquet' ? undefined : lines - (format === 'csv' ? 1 : 0),
      samples,
    };
  } finally {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
}

let worst = 0;
console.log(`${filled.calls.toLocaleString('en')} calls over ${filled.days} days\n`);
console.log(
  '| Answer | format | rows | rows a second | MB | MiB above idle, by tenths | highest |\n|---|---|---|---|---|---|---|',
);
for (const question of questions) {
  // Until a format of lines has counted them.
  let known: number | undefined;
  for (const format of values.formats.split(',')) {
    const { idle, seconds, bytes, rows = known, samples } = await measure(question, format);
    known = rows;
    const above = samples.map((memory) => memory - idle);
    const tenths = Array.from({ length: 10 }, (_, tenth) =>
      (above[Math.floor(((tenth + 1) * (above.length - 1)) / 10)] ?? 0).toFixed(0),
    );
    const highest = Math.max(...above, 0);
    worst = Math.max(worst, highest);
    const count = rows?.toLocaleString('en') ?? '–';
    const rate = rows === undefined ? '–' : Math.round(rows / seconds).toLocaleString('en');
    const size = (bytes / 1e6).toFixed(1);
    console.log(
      `| ${question.name} | ${format} | ${count} | ${rate} | ${size} | ${tenths.join(' ')} | ${highest.toFixed(0)} |`,
    );
  }
}
if (worst > mostMiB) {
  console.error(`The service needed ${worst.toFixed(0)} MiB above idle: more than ${mostMiB}.`);
  process.exitCode = 1;
}
