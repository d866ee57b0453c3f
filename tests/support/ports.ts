/*
 * Each process of the tests takes ports of its own range, below the system's range for connections: a service takes seconds
 * until it listens, and no other process may take its port meanwhile.
 */
const firstPort = 10_000;
const portsAProcess = 16;
const processes = 1_300;
/** The time a listener on a port has to answer. */
const answerMs = 1_000;
let asked = 0;

/** A TCP port of the loopback interface that is free now and is given to no other test soon. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < processes * portsAProcess; attempt += 1) {
    const place = (process.pid % processes) * portsAProcess + asked;
    asked += 1;
    const port = firstPort + (place % (processes * portsAProcess));
    if (await isFree(port)) return port;
  }
  throw new Error('there is no free port');
}

/** Whether the port refuses connections. A port that fetch blocks fails with another error and does not count as free. */
async function isFree(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(answerMs) });
    return false;
  } catch (error) {
    return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
  }
}
