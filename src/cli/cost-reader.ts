import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientWire } from '../accounts/client-routes.ts';
import type { ProjectWire } from '../accounts/project-record.ts';
import { parseJson } from '../lib/json.ts';
import { type Money, parseMoney } from '../lib/money.ts';
import type { CallWire } from '../reports/calls/call.ts';
import { AdminApi, ask, CommandError, describeRefusal, pathStep, readRefusal } from './api.ts';

export interface ImportAccess {
  /** The address of the service, without a trailing slash. */
  readonly url: string;
  readonly clientId: string;
  readonly secret: string;
  readonly apiKey: string | undefined;
  readonly token: string | undefined;
}

/** What a call costs by Farthing. */
export type CostOfCall = Pick<CallWire, 'event_id' | 'model' | 'cost' | 'cost_source'>;

/** Calls to ask for: at most 1,000 ids, and the range of their times in milliseconds since 1970. */
export interface CallsToRead {
  readonly ids: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

export type CostReader = (calls: CallsToRead) => Promise<readonly CostOfCall[]>;

const dayMs = 86_400_000;

/** The day of a time in UTC, clamped to the days that can be asked for. */
const toDay = (ms: number): string =>
  new Date(Math.min(Math.max(ms, Date.UTC(2000, 0, 1)), Date.UTC(2100, 11, 31))).toISOString().slice(0, 10);

/** With the API key, else with the admin token and the project of the client; undefined without either. */
export async function openCostReader(access: ImportAccess): Promise<CostReader | undefined> {
  const send = access.apiKey === undefined ? await withAdminToken(access) : await withKey(access, access.apiKey);
  if (send === undefined) return undefined;
  return async ({ ids, fromMs, toMs }) => {
    const days = { date_from: toDay(fromMs - dayMs), date_to: toDay(toMs + dayMs) };
    const { rows } = await untilCaughtUp(() => send({ ...days, event_ids: ids, limit: 1_000 }));
    return rows;
  };
}

/** How often to ask while the service assembles what was posted. Each request already waits for ten seconds. */
const maxAttempts = 60;

/** Asks again while the service is catching up with the calls that were just posted. */
async function untilCaughtUp<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const isPassing = error instanceof CommandError && error.code === 'catching_up';
      if (!isPassing || attempt >= maxAttempts) throw error;
    }
    await sleep(1_000);
  }
}

type Ask = (body: unknown) => Promise<{ readonly rows: readonly CostOfCall[] }>;

const path = '/api/calls/';

async function withKey({ url }: ImportAccess, apiKey: string): Promise<Ask> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const send = async (to: string, init: RequestInit) => {
    const answer = await ask(`${url}${to}`, { ...init, headers });
    const text = await answer.text();
    if (answer.status === 401) throw new CommandError('The API key is not valid: check --api-key.');
    if (!answer.ok) throw new CommandError(describeRefusal(answer.status, text), readRefusal(text));
    return parseJson(text);
  };
  // Reports a wrong key before anything is imported.
  await send('/api/project/', {});
  return async (body) => (await send(path, { method: 'POST', body: JSON.stringify(body) })) as Awaited<ReturnType<Ask>>;
}

async function withAdminToken({ url, clientId, token }: ImportAccess): Promise<Ask | undefined> {
  let api: AdminApi;
  try {
    api = new AdminApi({ url, ...(token !== undefined && { token }) });
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
  const { projects } = await api.get<{ projects: readonly ProjectWire[] }>('/admin/projects/');
  for (const { id } of projects) {
    const { clients } = await api.get<{ clients: readonly ClientWire[] }>(`/admin/projects/${pathStep(id)}/clients/`);
    if (!clients.some((client) => client.client_id === clientId.toLowerCase())) continue;
    const ofProject = api.ofProject(id);
    return async (body) => await ofProject.post(path, body);
  }
  return undefined;
}

/** An amount of an answer, exactly as it was sent. */
export const toAmount = (cost: number): Money => parseMoney(cost) ?? 0n;
