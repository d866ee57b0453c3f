// Bodies that are dear to decode, to parse, to validate or to keep.
import { randomBytes, randomUUID } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { awkwardNumbers, awkwardTexts, deepJson, injections, JsonText, writeJson } from '../../../support/hostile.ts';
import type { Attack } from '../attack.ts';
import { makeBatch } from '../target.ts';

const MiB = 1_048_576;
const ndjson = { 'content-type': 'application/x-ndjson' };

/** Lines of no event, millions of them in a few kilobytes, to every route that takes lists. */
const linesOfNothing: Attack = {
  name: 'millions of lines in 16 KB',
  run: async (target) => {
    const lines = gzipSync('x\n'.repeat(8 * MiB));
    const items = gzipSync(`[${'1,'.repeat(8 * MiB - 2)}1]`);
    const spans = gzipSync(`{"resourceSpans":[{"scopeSpans":[{"spans":[${'{},'.repeat(5 * MiB)}{}]}]}]}`);
    const bodies = [
      ['', lines, ndjson],
      ['litellm/', lines, ndjson],
      ['', items, {}],
      ['litellm/', items, {}],
      ['openrouter/', spans, {}],
      ['v1/traces', spans, {}],
      ['v1/logs', gzipSync(`{"resourceLogs":[${'{},'.repeat(5 * MiB)}{}]}`), {}],
    ] as const;
    await target.repeat(3, async (serial) => {
      const [path, body, headers] = bodies[serial % bodies.length] ?? bodies[0];
      await target.post(body, { calls: 0, path, headers: { 'content-encoding': 'gzip', ...headers } });
    });
  },
};

const bombs: Attack = {
  name: 'compression bombs',
  run: async (target) => {
    const flat = Buffer.alloc(target.size(64, 512) * MiB, ' ');
    const encoded = [
      ['gzip', gzipSync(flat)],
      ['br', brotliCompressSync(flat, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
      ['zstd', zstdCompressSync(flat)],
    ] as const;
    const paths = ['', 'litellm/', 'v1/traces', 'v1/logs', 'openrouter/'];
    await target.repeat(8, async (serial) => {
      const [encoding, body] = encoded[serial % encoded.length] ?? encoded[0];
      const headers = { 'content-encoding': encoding };
      await target.post(body, { calls: 0, path: paths[serial % paths.length] ?? '', headers });
    });
  },
};

/** More faults in a body than anybody wants to read. */
const faults: Attack = {
  name: 'bodies of 430,000 faults',
  run: async (target) => {
    const keys = Array.from({ length: 430_000 }, (_, key) => `"${key.toString(36)}":1`).join(',');
    const body = `{${keys}}`;
    const list = (item: string) => `[${Array.from({ length: 200_000 }, () => item).join(',')}]`;
    const asks = [
      { path: '/session/', body },
      { path: '/api/costs/', body },
      { path: '/api/customer-tags/', body },
      { path: '/api/customer-tags/', body: `{"customers":${list('{"a":1}')}}` },
      { path: '/api/costs/', body: `{"date_from":"2024-01-01","customers":${list('1')}}` },
      { path: '/api/revenue/', body: `{"entries":${list('{}')}}` },
      { path: '/api/invoices/', body: `{"entries":${list('{}')}}` },
      { path: '/mcp', body },
    ];
    await target.repeat(4, (serial) => target.ask(asks[serial % asks.length] ?? { path: '/session/' }));
  },
};

const faultyBatches: Attack = {
  name: 'batches of faulty events',
  run: async (target) => {
    const tags = Object.fromEntries(Array.from({ length: 120 }, (_, key) => [`k${key}`, { nested: key }]));
    const body = gzipSync(makeBatch(4_000, () => ({ event_id: 'no', prompt_tokens: -1, model: 7, tags })));
    await target.repeat(4, () => target.post(body, { calls: 0, headers: { 'content-encoding': 'gzip' } }));
  },
};

const deepBodies: Attack = {
  name: 'deep and long bodies',
  run: async (target) => {
    const deep = deepJson(150_000);
    const long = `"${'x'.repeat(MiB - 2_000)}"`;
    const wide = `{${Array.from({ length: 60_000 }, (_, key) => `"${key}":{}`).join(',')}}`;
    const numbers = `[${'0.1,'.repeat(250_000)}1]`;
    const texts = [deep, long, wide, numbers, `${'['.repeat(500_000)}`, `"${'\\u0000'.repeat(150_000)}"`];
    const event = (text: string) =>
      `{"event_id":"${randomUUID()}","event_type":"x.after","cost":1,"usage":${text},"data":${text.length < MiB / 2 ? text : 1}}`;
    await target.repeat(4, async (serial) => {
      const text = texts[serial % texts.length] ?? deep;
      if (serial % 2 === 0) {
        // Some of them are events: whether they are taken is known by their answers alone.
        const reply = await target.post(event(text), { calls: 0 });
        if (reply.status === 200) target.ledger.acknowledged += 1;
        else if (reply.status !== 400 && reply.status !== 413) target.ledger.unsure += 1;
      } else {
        await target.ask({ path: serial % 4 === 1 ? '/api/costs/' : '/mcp', body: text });
      }
    });
  },
};

const oddNames: Attack = {
  name: 'odd numbers and names',
  run: async (target) => {
    const names = [...injections, ...awkwardTexts].filter((text) => text !== '' && text.length <= 1_024);
    const name = (index: number) => names[index % names.length] ?? 'x';
    const number = (index: number) => new JsonText(awkwardNumbers[index % awkwardNumbers.length] ?? '0');
    await target.repeat(3, async (serial) => {
      const events = Array.from({ length: 200 }, (_, index) => ({
        ...{ event_id: randomUUID(), event_type: 'x.after', cost: 1 },
        ...{ model: name(serial + index), provider: name(index), timestamp: name(index) },
        tags: {
          customer: name(serial * 7 + index),
          user: name(index + 3),
          feature: name(index + 5),
          [name(index)]: 'v',
        },
        usage: { prompt_tokens: number(index), [name(index)]: number(serial + index) },
        [name(serial + index)]: number(index),
      }));
      await target.post(`[${events.map(writeJson).join(',')}]`, { calls: 0 }).then(({ status, text }) => {
        const accepted = Number(/"accepted":(\d+)/.exec(text)?.[1] ?? 0);
        if (status === 200 || status === 400) target.ledger.acknowledged += accepted;
        else target.ledger.unsure += 200;
      });
      const by = { aggregate: 'day', group_by: 'customer' };
      await target.ask({ path: '/api/costs/', body: { date_from: '2020-01-01', customers: [name(serial)], ...by } });
      await target.ask({
        method: 'GET',
        path: `/api/models/${encodeURIComponent(name(serial).toWellFormed())}/price/`,
      });
    });
  },
};

/** As much as the intake takes, all of it valid: the journal fills if nothing bounds it. */
const fullBatches: Attack = {
  name: 'the largest batches, as many as are taken',
  run: async (target) => {
    const note = randomBytes(600).toString('base64');
    await target.repeat(8, () => {
      const body = makeBatch(10_000, (index) => ({ note, tags: { customer: `c${index}` } }));
      return target.post(gzipSync(body, { level: 1 }), { calls: 10_000, headers: { 'content-encoding': 'gzip' } });
    });
  },
};

const tinyPosts: Attack = {
  name: 'a flood of single events',
  run: (target) => target.repeat(128, () => target.post(makeBatch(1, () => ({})).slice(1, -1), { calls: 1 })),
};

export const bodyAttacks: readonly Attack[] = [
  linesOfNothing,
  bombs,
  faults,
  faultyBatches,
  deepBodies,
  oddNames,
  fullBatches,
  tinyPosts,
];
