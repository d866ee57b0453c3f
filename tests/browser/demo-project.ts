// A project with the demo data of `farthing demo`, and a key of it.
import { type DemoService, fillDemo } from '../../src/cli/demo/fill.ts';
import { expectStatus, type Farthing, type Json, onceCaughtUp } from '../support/client.ts';
import { isLong } from '../support/effort.ts';
import { onceARun } from '../support/once.ts';

export interface DemoProject {
  readonly id: string;
  readonly key: string;
  readonly readOnlyKey: string;
  /** The API's answer to a request with the key. */
  ask(method: string, path: string, body?: unknown): Promise<Json>;
}

/** How many days the shared demo has: four weeks of a month that is over, and the days of this one. */
export const demoDays = 36;

/** A demo for tests that only ask, or whose changes no other asks about. Some of the long form change prices: each file has its own. */
export async function shareDemoProject(farthing: Farthing): Promise<DemoProject> {
  const make = async () => {
    const demo = await makeDemoProject(farthing, { type: 'revenue', days: demoDays });
    const end = new Date();
    end.setUTCDate(0);
    const refund = { external_id: 'a refund', customer: 'Blue Harbour', amount: -100 };
    const entries = [{ ...refund, date_from: end.toISOString().slice(0, 10) }];
    await demo.ask('POST', '/api/revenue/', { entries });
    return demo;
  };
  return isLong ? await make() : toDemo(farthing, await onceARun('demo', make));
}

function toDemo(farthing: Farthing, made: Pick<DemoProject, 'id' | 'key' | 'readOnlyKey'>): DemoProject {
  return {
    ...made,
    ask: async (method, path, body) =>
      expectStatus(await onceCaughtUp(() => farthing.send(method, path, { body, token: made.key })), 200) as Json,
  };
}

export async function makeDemoProject(
  farthing: Farthing,
  { type, days }: { readonly type: 'revenue' | 'internal'; readonly days: number },
): Promise<DemoProject> {
  const asAdmin = async (method: string, path: string, body: unknown, project?: string) => {
    const headers: Record<string, string> = project === undefined ? {} : { 'farthing-project': project };
    const send = () => farthing.send(method, path, { body, token: farthing.adminToken, headers });
    const answer = await onceCaughtUp(send);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const service: DemoService = {
    post: async <T>(path: string, body: unknown, project?: string) => (await asAdmin('POST', path, body, project)) as T,
    put: async (path, body, project) => {
      await asAdmin('PUT', path, body, project);
    },
    postEvents: async ({ client_id: client, secret }, events) => {
      expectStatus(await farthing.send('POST', `/intake/${client}/`, { body: events, token: secret }), 200);
    },
  };
  const { project: id } = await fillDemo(service, { name: `Demo ${type}`, type, days, now: Date.now() });
  const makeKey = async (scopes: string[]) =>
    String(((await asAdmin('POST', `/admin/projects/${id}/api-keys/`, { scopes })) as Json).api_key);
  const [key, readOnlyKey] = [await makeKey(['read', 'write']), await makeKey(['read'])];
  const demo = toDemo(farthing, { id, key, readOnlyKey });
  // A page that opens before its calls are there is refused on a busy machine, which its browser notes as a fault.
  await demo.ask('POST', '/api/usage/', { date_from: '2020-01-01', date_to: '2020-01-01' });
  return demo;
}
