import type { App } from './app.ts';

/** What a start has found out that an operator should know, and whether each store answers. */
export interface Readiness {
  readonly checks: Readonly<Record<string, () => Promise<boolean>>>;
  /** Standing warnings, such as broken parts that the engine has set aside. */
  readonly warnings: () => readonly string[];
}

/** `GET /healthz` and `GET /readyz` (D11.3). */
export function registerHealth(app: App, { checks, warnings }: Readiness): void {
  const schema = { tags: ['Operations'], security: [] };
  app.get(
    '/healthz',
    { config: { access: 'public' }, schema: { ...schema, summary: 'Whether the process is up' } },
    async () => ({
      ok: true,
    }),
  );
  app.get(
    '/readyz',
    { config: { access: 'public' }, schema: { ...schema, summary: 'Whether the stores answer' } },
    async (_request, reply) => {
      const results = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, await check().catch(() => false)] as const),
      );
      const ok = results.every(([, reachable]) => reachable);
      return reply.code(ok ? 200 : 503).send({
        ok,
        checks: Object.fromEntries(results.map(([name, reachable]) => [name, reachable ? 'ok' : 'unreachable'])),
        warnings: warnings(),
      });
    },
  );
}
