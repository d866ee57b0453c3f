import { createServer } from 'node:net';

/*
 * Each process of the tests asks for ports of a range of its own, below those that the system gives to connections: a service
 * takes seconds until it listens, and nobody else may have been given its port meanwhile.
 */
const firstPort = 10_000;
const portsAProcess = 16;
const processes = 1_300;
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

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
}
