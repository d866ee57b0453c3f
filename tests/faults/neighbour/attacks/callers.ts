// Many callers: sessions, keys, assistants, webhooks in both directions, exporters of spans.

import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { callSpan, newSpanId, newTraceId, traces } from '../../../support/otlp/records.ts';
import type { Attack } from '../attack.ts';
import { makeBatch } from '../target.ts';

const sessions: Attack = {
  name: 'sessions by the thousand',
  run: async (target) => {
    const { apiKey } = target.access;
    await target.repeat(32, async (serial) => {
      await target.ask({ path: '/session/', body: { api_key: apiKey }, headers: { authorization: '' } });
      if (serial % 5 === 0) {
        const cookie = `farthing_session=${randomBytes(32).toString('base64url')}`;
        await target.ask({ method: 'GET', path: '/session/', headers: { authorization: '', cookie } });
      }
    });
  },
};

const wrongKeys: Attack = {
  name: 'keys, secrets and clients that do not exist',
  run: async (target) => {
    await target.repeat(64, async (serial) => {
      const token = `${serial % 2 === 0 ? 'fk' : 'fs'}_${randomBytes(30).toString('base64url')}`;
      if (serial % 3 === 0) await target.ask({ path: `/intake/${randomUUID()}/`, body: '{}', token });
      else if (serial % 3 === 1) await target.ask({ path: '/api/costs/', body: {}, token });
      else await target.ask({ path: '/session/', body: { api_key: token }, headers: { authorization: '' } });
    });
  },
};

const assistants: Attack = {
  name: 'assistants in a loop',
  run: async (target) => {
    await target.post(
      makeBatch(1_000, (index) => ({ tags: { customer: `c${index}` } })),
      { calls: 1_000 },
    );
    const headers = { accept: 'application/json, text/event-stream' };
    const call = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params });
    const clientInfo = { name: 'x', version: '1' };
    await target.repeat(24, async (serial) => {
      const asks = [
        call(serial, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
        call(serial, 'tools/list', {}),
        call(serial, 'tools/call', {
          name: 'costs',
          arguments: { date_from: '2016-01-01', group_by: 'customer', limit: 1_000 },
        }),
        call(serial, 'tools/call', { name: 'changes', arguments: { date_from: '2016-01-01', date_to: '2025-12-31' } }),
        call(serial, 'tools/call', { name: 'x'.repeat(100_000), arguments: { a: 'y'.repeat(1_000_000) } }),
      ];
      const body = serial % 7 === 0 ? Array.from({ length: 200 }, () => asks[2]) : asks[serial % asks.length];
      await target.ask({ path: '/mcp', body: body ?? {}, headers });
    });
  },
};

/** Endpoints that take a notification and never answer, or answer without an end. */
const deafEndpoints: Attack = {
  name: 'endpoints of notifications that never answer',
  run: async (target) => {
    const server = createServer((incoming, outgoing) => {
      incoming.resume();
      if (incoming.url === '/endless') {
        const timer = setInterval(() => outgoing.write('x'.repeat(65_536)), 5);
        outgoing.once('close', () => clearInterval(timer));
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const ids: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      const url = `http://127.0.0.1:${port}/${index % 2 === 0 ? 'endless' : 'silent'}`;
      const { text } = await target.ask({ path: '/api/notification-endpoints/', body: { kind: 'webhook', url } });
      const id = /"id":"(nep_\w+)"/.exec(text)?.[1];
      if (id !== undefined) ids.push(id);
    }
    for (let index = 0; index < target.size(5, 100); index += 1) {
      const budget = {
        name: `b${index}`,
        amount: 1,
        period: 'day',
        each: 'customer',
        thresholds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      };
      await target.ask({ path: '/api/budgets/', body: budget });
    }
    await target.repeat(4, async (serial) => {
      await target.post(
        makeBatch(200, (index) => ({ tags: { customer: `c${serial}-${index}` } })),
        { calls: 200 },
      );
      await target.ask({ path: `/api/notification-endpoints/${ids[serial % ids.length]}/test/`, body: {} });
      await target.ask({ method: 'GET', path: `/api/notification-endpoints/${ids[0]}/attempts/?limit=1000` });
      await target.wait(100);
    });
    server.closeAllConnections();
    server.close();
  },
};

const stripeHooks: Attack = {
  name: 'forged webhooks of Stripe',
  run: async (target) => {
    const { text } = await target.ask({ path: '/api/stripe/', body: { signing_secret: `whsec_${'a'.repeat(32)}` } });
    const path = /"url_path":"([^"]+)"/.exec(text)?.[1] ?? '/hooks/stripe/shk_none/';
    const body = `{"id":"evt_1","type":"invoice.paid","data":{"object":{"lines":"${'x'.repeat(1_000_000)}"}}}`;
    await target.repeat(16, async (serial) => {
      const signature = `t=${Math.floor(Date.now() / 1_000)},${'v1=00,'.repeat(1_000)}v1=${randomBytes(32).toString('hex')}`;
      await target.ask({ path, body, headers: { 'stripe-signature': signature } });
      if (serial % 4 === 0) {
        const objects = Array.from({ length: 1_000 }, (_, index) => ({
          object: 'customer',
          id: `cus_${serial}_${index}`,
        }));
        await target.ask({ path: '/api/stripe/objects/', body: { objects } });
      }
    });
  },
};

const spanFloods: Attack = {
  name: 'floods of spans, with content under unknown names',
  run: async (target) => {
    const content = 'a prompt that nobody may keep '.repeat(200);
    await target.repeat(6, async (serial) => {
      const count = 200;
      const traceId = newTraceId();
      const spans = Array.from({ length: count }, (_, index) =>
        callSpan({
          // Deep traces: each span below the one before.
          traceId,
          spanId: newSpanId(),
          attributes: {
            'gcp.vertex.agent.llm_request': content,
            'gen_ai.request.messages': content,
            [`custom.${serial}.${index}`]: content,
            'mlflow.spanInputs': JSON.stringify({ messages: [content] }),
          },
        }),
      );
      const body = JSON.stringify(traces(spans, { resource: { 'process.command_args': content } }));
      await target.post(body, { calls: count, path: 'v1/traces' });
    });
  },
};

/** Thousands of spans that are no calls, and chains of parents. */
const chainsOfSpans: Attack = {
  name: 'chains of spans, one inside the other',
  run: async (target) => {
    await target.repeat(4, async () => {
      const traceId = newTraceId();
      const ids = Array.from({ length: 3_000 }, newSpanId);
      const spans = ids.map((spanId, index) => {
        const parentSpanId = ids[index + 1];
        return callSpan({ traceId, spanId, ...(parentSpanId !== undefined && { parentSpanId }) });
      });
      // One call reports, all above it are wrappers; how many calls that makes is the service's affair.
      const { status } = await target.post(JSON.stringify(traces(spans)), { calls: 0, path: 'v1/traces' });
      if (status === 200) target.ledger.acknowledged += 1;
      target.ledger.unsure += ids.length;
    });
  },
};

export const callerAttacks: readonly Attack[] = [
  sessions,
  wrongKeys,
  assistants,
  deafEndpoints,
  stripeHooks,
  spanFloods,
  chainsOfSpans,
];
