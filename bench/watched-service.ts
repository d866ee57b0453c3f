import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { startService } from './start-service.ts';

/** A service with a project, and readings of its memory, open files and metrics. */
export interface WatchedService {
  readonly url: string;
  /** A client of the project, and a key that may read it. */
  readonly client: { readonly id: string; readonly secret: string };
  readonly key: string;
  send(path: string, token: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  readDiagnosis(): Promise<{ readonly clickhouse: { readonly active_parts: number } }>;
  readMetric(name: string): Promise<number>;
  /** Resident memory of the service and its engine, in MiB. */
  readMemory(): number;
  /** Open files and connections of the service and its engine. */
  countDescriptors(): number;
  stop(): Promise<void>;
}

export async function startWatched(dir: string): Promise<WatchedService> {
  const { url, adminToken, process: service } = await startService(dir);
  const send = async (path: string, token: string, body: unknown, headers: Record<string, string> = {}) =>
    await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const made = async (path: string, body: unknown) =>
    (await (await send(path, adminToken, body)).json()) as Record<string, string>;
  const project = await made('/admin/projects/', { name: 'Watched' });
  const client = await made(`/admin/projects/${project.id}/clients/`, {});
  const key = await made(`/admin/projects/${project.id}/api-keys/`, { scopes: ['read'] });
  const processes = (): (number | string)[] => {
    const children = readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8').trim().split(/\s+/);
    return [service.pid ?? 0, ...children];
  };
  const residentOf = (pid: number | string) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

  return {
    url,
    client: { id: client.client_id ?? '', secret: client.secret ?? '' },
    key: key.api_key ?? '',
    send,
    readDiagnosis: async () => {
      const answer = await fetch(`${url}/admin/diagnosis/`, { headers: { authorization: `Bearer ${adminToken}` } });
      return (await answer.json()) as { clickhouse: { active_parts: number } };
    },
    readMetric: async (name) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
    },
    readMemory: () => sum(processes().map(residentOf)),
    countDescriptors: () => sum(processes().map((pid) => readdirSync(`/proc/${pid}/fd`).length)),
    stop: async () => {
      service.kill('SIGTERM');
      await once(service, 'exit');
    },
  };
}
