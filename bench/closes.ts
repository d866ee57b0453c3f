import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { readFilled } from './filled.ts';
import { startService } from './start-service.ts';

/**
 * Measures answers as of a close beside current ones, over the same sealed days, by turns, on a data folder that
 * `bench/fill.ts` made. It makes a close and deletes it in the end.
 *
 *   node bin/runtime.js bench/closes.ts --dir bench-data
 */
const { values } = parseArgs({
  options: { dir: { type: 'string', default: 'bench-data' }, rounds: { type: 'string', default: '25' } },
});
const rounds = Number(values.rounds);
const filled = readFilled(values.dir);
const dayMs = 86_400_000;
const dayBefore = (count: number) => new Date(Date.now() - count * dayMs).toISOString().slice(0, 10);
const range = { date_from: dayBefore(filled.days), date_to: dayBefore(1) };
const apiKey = filled.projects.find(({ type }) => type === 'revenue')?.apiKey ?? '';

const questions: readonly [name: string, path: string, body: Record<string, unknown>][] = [
  ['cost per day', '/api/costs/', {}],
  ['cost per month by model', '/api/costs/', { aggregate: 'month', group_by: 'model' }],
  ['cost per day by customer, a page', '/api/costs/', { group_by: 'customer' }],
  ['net cost per day', '/api/costs/', { apply_credits: true }],
  ['usage by model', '/api/usage/', { aggregate: 'all', group_by: 'model' }],
  ['margin per month by customer', '/api/margin/', { aggregate: 'month', group_by: 'customer' }],
];

const { url, process: service } = await startService(values.dir);
try {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  };
  const startedAt = performance.now();
  const close = JSON.parse(await send('POST', '/api/closes/', { through: range.date_to })) as { id: string };
  console.log(
    `${filled.calls.toLocaleString('en')} calls over ${filled.days} days; closed in ${Math.round(performance.now() - startedAt)} ms\n`,
  );
  console.log('| Question | now, median ms | as of the close, median ms | ratio |\n|---|---|---|---|');
  for (const [name, path, body] of questions) {
    const times: Record<'now' | 'closed', number[]> = { now: [], closed: [] };
    for (let round = -3; round < rounds; round += 1) {
      // Answers of sealed days are cached by statement: another limit is another statement, for each of the two.
      for (const [at, when] of (['now', 'closed'] as const).entries()) {
        const limit = 1_000 - (2 * (round + 3) + at);
        const asked = { ...range, ...body, limit, ...(when === 'closed' && { as_of: close.id }) };
        const begunAt = performance.now();
        await send('POST', path, asked);
        if (round >= 0) times[when].push(performance.now() - begunAt);
      }
    }
    const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1] ?? 0;
    const [now, closed] = [median(times.now), median(times.closed)];
    console.log(`| ${name} | ${now.toFixed(1)} | ${closed.toFixed(1)} | ${(closed / now).toFixed(2)} |`);
  }
  await send('DELETE', `/api/closes/${close.id}/`);
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
}
