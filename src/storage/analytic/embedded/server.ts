import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { letMergesGiveWay } from './server/merges.ts';
import type { FromEngine, StartMessage, ToEngine } from './server/messages.ts';
import { QueryService } from './server/query-service.ts';
import { SlotPool } from './server/slots.ts';
import { Spool } from './server/spool.ts';
import { Store } from './server/store.ts';

/*
 * The engine's process. It must not outlive its parent. An exit with running queries can hang; a kill can't, and the
 * store survives it at any moment. So when in doubt, the process kills itself.
 */

const STOP_GRACE_MS = 1_500;
const LISTEN_ATTEMPTS = 100;
const OPEN_ATTEMPTS = 15;
const RETRY_MS = 100;

function main(): void {
  // Ctrl-C, and some supervisors, reach the whole process group; the parent says when to stop.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
  process.on('disconnect', killSelf);
  // By default Node would exit, and an exit waits for the engine's own threads, perhaps for ever.
  process.on('uncaughtException', (error) => {
    try {
      writeSync(2, `${error.stack ?? error}\n`);
    } finally {
      killSelf();
    }
  });
  if (!process.connected) killSelf();
  process.on('message', (message: ToEngine) => {
    if (message.type === 'start') start(message).catch(reportFailure);
  });
}

async function start(message: StartMessage): Promise<void> {
  const { storePath, username, password, host, port, limits } = message;
  const store = await openStore(message);
  letMergesGiveWay();
  const spool = Spool.create(storePath);
  // Removes the files before the process kills itself: if no engine starts on this store again, nobody else does.
  process.prependListener('disconnect', () => spool.close());
  const slots = new SlotPool(await spool.createPipes(limits.runningQueries), limits.waitingQueries);
  const service = new QueryService({
    store,
    spool,
    slots,
    credentials: { username, password },
    onBroken: (part) => tellParent({ type: 'broken', part }),
  });
  stopOnRequest(service, store, spool);
  const boundPort = await listen(service.server, host, port);
  tellParent({ type: 'ready', port: boundPort, detachedParts: store.detachedParts() });
}

/** Opens the store. A process that was killed a moment ago may still hold it. */
async function openStore({ storePath, limits }: StartMessage): Promise<Store> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return Store.open(storePath, limits);
    } catch (error) {
      if (attempt === OPEN_ATTEMPTS) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** Listens, and returns the port. A restarted engine reuses its port, which may not be free yet. */
async function listen(server: Server, host: string, port: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      server.listen({ port, host });
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('the server has no port');
      return address.port;
    } catch (error) {
      const portIsTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!portIsTaken || attempt === LISTEN_ATTEMPTS) throw error;
      await sleep(RETRY_MS);
    }
  }
}

function stopOnRequest(service: QueryService, store: Store, spool: Spool): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await service.stop(STOP_GRACE_MS);
    store.close();
    spool.close();
    process.exit(0);
  };
  process.on('message', (message: ToEngine) => {
    if (message.type === 'stop') void stop();
  });
}

function reportFailure(error: unknown): void {
  tellParent({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
}

function tellParent(message: FromEngine): void {
  // A dead parent gets no message; the end of its channel ends this process.
  process.send?.(message, () => undefined);
}

function killSelf(): void {
  process.kill(process.pid, 'SIGKILL');
}

main();
