// The state that a service reports of itself.
import { z } from 'zod';
import { poll } from '../support/poll.ts';
import type { Service } from '../support/service.ts';

const readiness = z.strictObject({
  ok: z.boolean(),
  checks: z.record(z.string(), z.enum(['ok', 'unreachable'])),
  warnings: z.array(z.string()),
});
export type Readiness = z.output<typeof readiness>;

const within = 180_000;

export async function readReadiness({ url }: Pick<Service, 'url'>): Promise<Readiness | undefined> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  return answer && readiness.parse(await answer.json());
}

/** Waits until the service reports the expected state. */
export async function untilSays(
  service: Pick<Service, 'url'>,
  what: string,
  isSaid: (readiness: Readiness) => boolean,
): Promise<Readiness> {
  let last: Readiness | undefined;
  try {
    return await poll(`/readyz says that ${what}`, { within, every: 50 }, async () => {
      last = await readReadiness(service);
      return last && isSaid(last) ? last : undefined;
    });
  } catch (cause) {
    throw new Error(`${cause}; it says ${JSON.stringify(last)}`, { cause });
  }
}

/** Waits until the service is ready and has nothing to warn of. */
export async function untilWell(service: Pick<Service, 'url'>): Promise<void> {
  await untilSays(service, 'all is well', ({ ok, warnings }) => ok && warnings.length === 0);
}
