/*
 * Each process of the tests asks for ports of a range of its own, below those that the system gives to connections: a service
 * takes seconds until it listens, and nobody else may have been given its port meanwhile.
 */
const firstPort = 10_000;
const portsAProcess = 16;
const processes = 1_300;
/** How long whoever listens on a port has to answer. */
const answerMs = 1_000;
let asked = 0;

/** A TCP port of the loopback interface that nobody listens on now, and that no other test is given soon. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < processes * portsAProcess; attempt += 1) {
    const place = (process.pid % processes) * portsAProcess + asked;
    asked += 1;
    const port = firstPort + (place % (processes * portsAProcess));
    if (await isFree(port)) return port;
  }
  throw new Error('there is no free port');
}

/** Whether the port refuses connections. Fetch must be able to ask it: of the ports that it blocks it says something else. */
async function isFree(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(answerMs) });
    return false;
  } catch (error) {
    return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
  }
}
