import { connect, type Socket } from 'node:net';

export interface PacedGets {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
  /** The path of each request, by its number. */
  readonly path: (number: number) => string;
  /** Called with the body of each answer of status 200 when it arrives. */
  readonly take?: (body: string, number: number) => void;
}

export interface PacedAnswers {
  /** Milliseconds from the instant at which each request was due until its answer, ascending. */
  readonly latenciesMs: readonly number[];
  /** Answers with a status other than 200. */
  readonly failures: number;
}

/** How often due requests are sent, in milliseconds. */
const tickMs = 1;

/**
 * Sends GETs at a fixed pace over a few connections, whether or not earlier ones are answered: a slow answer delays the
 * requests behind it, and the delay counts. The bytes are few, so that nearly all of the machine is left to the server.
 */
export async function runPacedGets(load: PacedGets): Promise<PacedAnswers> {
  const { host, port, token, perSecond, seconds, connections, path, take } = load;
  const latenciesMs: number[] = [];
  let failures = 0;
  const lines = await Promise.all(
    Array.from({ length: connections }, () =>
      openLine(connect({ host, port, noDelay: true }), ({ status, body, number, dueAt }) => {
        latenciesMs.push(performance.now() - dueAt);
        if (status !== 200) failures += 1;
        else take?.(body, number);
      }),
    ),
  );
  const total = perSecond * seconds;
  const startedAt = performance.now();
  let sent = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * perSecond));
      for (; sent < due; sent += 1) {
        const dueAt = startedAt + (sent / perSecond) * 1_000;
        const request = `GET ${path(sent)} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`;
        lines[sent % connections]?.send(request, sent, dueAt);
      }
      if (sent < total) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
  await Promise.all(lines.map((line) => line.end()));
  return { latenciesMs: latenciesMs.sort((a, b) => a - b), failures };
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly number: number;
  readonly dueAt: number;
}

interface Line {
  send(request: string, number: number, dueAt: number): void;
  end(): Promise<void>;
}

/** A connection that has one request under way; those that are due meanwhile wait. */
async function openLine(socket: Socket, onReply: (reply: Reply) => void): Promise<Line> {
  const waiting: { request: string; number: number; dueAt: number }[] = [];
  let current: { number: number; dueAt: number } | undefined;
  let received = '';
  let onIdle: (() => void) | undefined;
  const next = () => {
    const following = waiting.shift();
    current = following;
    if (following) socket.write(following.request);
    else onIdle?.();
  };
  socket.setEncoding('latin1');
  socket.on('data', (more: string) => {
    received += more;
    const headEnd = received.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1];
    if (headEnd < 0 || length === undefined || received.length < headEnd + 4 + Number(length)) return;
    const [status, body] = [Number(received.slice(9, 12)), received.slice(headEnd + 4)];
    received = '';
    if (current) onReply({ status, body, ...current });
    next();
  });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return {
    send: (request, number, dueAt) => {
      waiting.push({ request, number, dueAt });
      if (!current) next();
    },
    end: async () => {
      if (current) {
        await new Promise<void>((resolve) => {
          onIdle = resolve;
        });
      }
      socket.destroy();
    },
  };
}
