// The clients that public generators make of the service's OpenAPI document: made once, in a folder that is removed.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import createFetchClient from 'openapi-fetch';
import { whenThisProcessEnds } from '../../support/leash.ts';
import type { Operation } from '../../support/openapi.ts';
import { writeUses } from './uses.ts';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What is asked of an operation. */
export interface Asked {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for none. Bytes and text are sent as they are. */
  readonly body: unknown;
}

/** How a generated client answers. */
export interface ClientAnswer {
  readonly response: Response;
  /** The body of a success. */
  readonly data?: unknown;
}

export interface GeneratedClient {
  readonly name: string;
  /** Asks an operation; `parsesJson` says whether the client is to parse the answer. */
  ask(operation: Operation, asked: Asked, parsesJson: boolean): Promise<ClientAnswer>;
}

export interface GeneratedClients {
  /** Clients of the service at an address, whose requests go through `fetcher`. */
  connect(baseUrl: string, fetcher: typeof fetch): Promise<GeneratedClient[]>;
  /** The faults that the compiler finds in the clients, and in a request to every operation with its example. */
  findTypeFaults(operations: readonly Operation[]): Promise<string>;
  remove(): void;
}

/** Generates the clients, in a process of its own: a generator loads a compiler. */
export async function generateClients(document: string): Promise<GeneratedClients> {
  // Here its modules find the packages that they import.
  const folder = mkdtempSync(join(here, 'generated-'));
  const letGo = whenThisProcessEnds('rm -rf -- "$0"', folder);
  const file = join(folder, 'openapi.json');
  writeFileSync(file, document);
  await run(process.execPath, [join(here, 'generate.js'), file, folder]);
  return {
    connect: async (baseUrl, fetcher) => [
      connectFetchClient(baseUrl, fetcher),
      await connectHeyApi(folder, baseUrl, fetcher),
    ],
    findTypeFaults: async (operations) => {
      writeUses(folder, operations);
      return await compile(folder);
    },
    remove: () => {
      letGo();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const asItIs = (body: unknown) => body as NonNullable<RequestInit['body']>;
const isRaw = (body: unknown): boolean => typeof body === 'string' || body instanceof Uint8Array;

/** The client of openapi-fetch, of which openapi-typescript generates the types. */
export function connectFetchClient(baseUrl: string, fetcher: typeof fetch): GeneratedClient {
  // biome-ignore lint/suspicious/noExplicitAny: its types are those of the compiled requests, which `findTypeFaults` checks
  const client = createFetchClient<any>({ baseUrl, fetch: fetcher });
  return {
    name: 'openapi-fetch',
    ask: async ({ method, path: template }, { path, query, headers, body }, parsesJson) =>
      // biome-ignore lint/suspicious/noExplicitAny: as above
      await (client as any).request(method.toLowerCase(), template, {
        params: { path, query },
        headers,
        ...(body !== undefined && { body, ...(isRaw(body) && { bodySerializer: asItIs }) }),
        parseAs: parsesJson ? 'json' : 'text',
      }),
  };
}

type HeyApiFunction = (options: Record<string, unknown>) => Promise<ClientAnswer>;

/** The client that @hey-api/openapi-ts generates: a function for each operation. */
async function connectHeyApi(folder: string, baseUrl: string, fetcher: typeof fetch): Promise<GeneratedClient> {
  const [functions, { client }] = await Promise.all([
    import(/* @vite-ignore */ join(folder, 'hey-api/sdk.gen.ts')) as Promise<Record<string, HeyApiFunction>>,
    import(/* @vite-ignore */ join(folder, 'hey-api/client.gen.ts')) as Promise<{
      client: { setConfig(config: Record<string, unknown>): void };
    }>,
  ]);
  client.setConfig({ baseUrl, fetch: fetcher });
  return {
    name: 'hey-api',
    ask: async ({ operationId }, { path, query, headers, body }, parsesJson) => {
      const call = functions[operationId];
      if (!call) throw new Error(`hey-api has no function ${operationId}`);
      return await call({
        path,
        query,
        headers,
        ...(body !== undefined && { body, ...(isRaw(body) && { bodySerializer: null }) }),
        parseAs: parsesJson ? 'auto' : 'text',
      });
    },
  };
}

/** What the compiler says; empty when all is well. */
async function compile(folder: string): Promise<string> {
  const options = {
    ...{ target: 'es2024', lib: ['esnext', 'dom', 'dom.iterable'], types: [], noEmit: true },
    ...{ module: 'esnext', moduleResolution: 'bundler', strict: true, skipLibCheck: true },
  };
  const config = join(folder, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions: options, include: ['*.ts', 'hey-api'] }));
  try {
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config]);
    return '';
  } catch (error) {
    return String(Object(error).stdout || error).slice(0, 5_000);
  }
}
