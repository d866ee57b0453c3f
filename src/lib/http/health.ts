import { z } from 'zod';
import type { App } from './app.ts';

/** What `/readyz` reports: whether each store answers, and warnings. */
export interface Readiness {
  readonly checks: Readonly<Record<string, () => Promise<boolean>>>;
  /** Present conditions that an operator should know about, such as lost parts or a full disk. */
  readonly warnings: () => readonly string[];
}

const check = z.enum(['ok', 'unreachable']);
const readiness = z.object({
  ok: z.boolean(),
  checks: z.record(z.string(), check).describe('Each store.'),
  warnings: z.array(z.string()).describe('What an operator should know, as long as it lasts.'),
});
const example = (state: z.output<typeof check>) => ({
  ok: state === 'ok',
  checks: { clickhouse: state, control: 'ok' },
  warnings: [],
});

/** `GET /healthz` and `GET /readyz` (D11.3). */
export function registerHealth(app: App, { checks, warnings }: Readiness): void {
  const config = { access: 'public' } as const;
  const tags = ['Operations'];
  app.get('/healthz', {
    config,
    schema: {
      summary: 'Whether the process is up',
      description: 'Asks no store.',
      tags,
      response: {
        200: z.object({ ok: z.literal(true) }).meta({ description: 'It is up.', examples: [{ ok: true }] }),
      },
    },
    handler: async () => ({ ok: true as const }),
  });
  app.get('/readyz', {
    config,
    schema: {
      summary: 'Whether the stores answer',
      description:
        'Asks both stores. Its warnings name parts of the embedded store that are broken or gone, with what to do, and say what keeps events from being stored or made into calls.',
      tags,
      response: {
        200: readiness.meta({ description: 'Both stores answer.', examples: [example('ok')] }),
        503: readiness.meta({ description: 'A store does not answer.', examples: [example('unreachable')] }),
      },
    },
    handler: async (_request, reply) => {
      const results = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, await check().catch(() => false)] as const),
      );
      const ok = results.every(([, reachable]) => reachable);
      return reply.code(ok ? 200 : 503).send({
        ok,
        checks: Object.fromEntries(results.map(([name, reachable]) => [name, reachable ? 'ok' : 'unreachable'])),
        warnings: [...warnings()],
      });
    },
  });
}
