// The service as a hostile project sees it: with a client's secret and a key, and nothing else.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What a project is given to work with. */
export interface Access {
  readonly url: string;
  readonly clientId: string;
  readonly secret: string;
  readonly apiKey: string;
}

/** A status of 0 stands for a connection that ended without an answer. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Uint8Array | object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as the bearer token; the project's key unless set. */
  readonly token?: string;
}

export interface Post {
  /** How many calls the body makes that no request before it has made. */
  readonly calls: number;
  /** Below the client's path: `v1/traces`. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the hostile project was told, so that its totals can be held to it. */
export interface Ledger {
  /** Calls whose events were acknowledged. */
  acknowledged: number;
  /** Calls whose events were refused or got no answer: stored or not, nobody knows. */
  unsure: number;
  /** How often each status came. */
  readonly statuses: Record<number, number>;
}

/** A request that gets no answer within this time is given up, in milliseconds. */
const patienceMs = 60_000;
/** What a refused sender waits, unless it is a careless one, in milliseconds. */
const afterRefusalMs = 20;

export class Target {
  readonly access: Access;
  /** How long the attack lasts, in seconds. */
  readonly seconds: number;
  readonly ledger: Ledger = { acknowledged: 0, unsure: 0, statuses: {} };
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #over = new AbortController();
  readonly #sockets = new Set<Socket>();

  constructor(access: Access, seconds: number) {
    this.access = access;
    this.seconds = seconds;
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Ends the attack: cuts off all that is under way. */
  end(): void {
    this.#over.abort();
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The first amount where the attack lasts a few seconds, the second where it lasts longer. */
  size(short: number, whole: number): number {
    return this.seconds < 5 ? short : whole;
  }

  /** Does a step again and again, some at a time, until the attack is over. */
  async repeat(atATime: number, step: (serial: number) => Promise<unknown>): Promise<void> {
    let serial = 0;
    await Promise.all(
      Array.from({ length: atATime }, async () => {
        while (!this.isOver) {
          await step(serial++);
          // Steps that need no answer would otherwise keep timers from running.
          await pause(0);
        }
      }),
    );
  }

  /** Waits until the attack is over. */
  async untilOver(): Promise<void> {
    await this.wait(2 ** 30);
  }

  async wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.over }).catch(() => undefined);
  }

  /** Posts events to the intake, and notes in the ledger what became of them. */
  async post(body: string | Uint8Array, { calls, path = '', headers = {} }: Post): Promise<Reply> {
    const { clientId, secret } = this.access;
    this.ledger.unsure += calls;
    const reply = await this.ask({
      path: `/intake/${clientId}/${path}`,
      body,
      headers,
      token: secret,
    });
    if (reply.status === 200) {
      this.ledger.unsure -= calls;
      this.ledger.acknowledged += calls;
    } else if (!this.isOver) {
      await this.wait(afterRefusalMs);
    }
    return reply;
  }

  /** Sends a request with the key, and gives its answer. */
  async ask({ method = 'POST', path, body, headers = {}, token = this.access.apiKey }: Ask): Promise<Reply> {
    if (this.isOver) return { status: 0, text: '' };
    const bytes = typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body;
    const reply = await new Promise<Reply>((resolve) => {
      const { hostname, port } = new URL(this.access.url);
      const outgoing = request(
        {
          ...{ agent: this.#agent, hostname, port, method, path },
          headers: {
            authorization: `Bearer ${token}`,
            ...(bytes !== undefined && {
              'content-type': 'application/json',
              'content-length': String(Buffer.byteLength(bytes)),
            }),
            ...headers,
          },
        },
        (incoming) => {
          let text = '';
          incoming.setEncoding('latin1').on('data', (more: string) => {
            // Its beginning says what a refusal is.
            if (text.length < 1_000) text += more;
          });
          incoming.once('error', () => resolve({ status: 0, text: '' }));
          incoming.once('close', () => resolve({ status: incoming.complete ? (incoming.statusCode ?? 0) : 0, text }));
        },
      );
      outgoing.setTimeout(patienceMs, () => outgoing.destroy());
      outgoing.once('error', () => resolve({ status: 0, text: '' }));
      outgoing.end(bytes);
    });
    this.note(reply.status);
    return reply;
  }

  note(status: number): void {
    this.ledger.statuses[status] = (this.ledger.statuses[status] ?? 0) + 1;
  }

  /** Opens a bare connection, which is cut off when the attack is over. What it receives is read unless it stalls. */
  open({ stalls = false }: { stalls?: boolean } = {}): Socket {
    const { hostname, port } = new URL(this.access.url);
    const socket = connect(Number(port), hostname);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    if (!stalls) socket.resume();
    if (this.isOver) socket.destroy();
    return socket;
  }

  /** The head of a request with the client's secret or the key, for a bare connection. */
  head(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
    const token = path.startsWith('/intake/') ? this.access.secret : this.access.apiKey;
    const all = { host: 'neighbour', authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  }

  get intakePath(): string {
    return `/intake/${this.access.clientId}/`;
  }
}

/** Outcomes of a cost of 1, each of a call of its own, as a batch. */
export function makeBatch(count: number, fieldsOf: (index: number) => object): string {
  const prefix = randomUUID().slice(0, 24);
  const events = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      event_id: `${prefix}${index.toString(16).padStart(12, '0')}`,
      event_type: 'x.after',
      cost: 1,
      ...fieldsOf(index),
    }),
  );
  return `[${events.join(',')}]`;
}
