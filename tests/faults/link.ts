// A network between the service and a store of its, which can be slow, gone, silent, cut off, or answer for the store.
import { connect as connectTo, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** How the link treats traffic, also on connections that are open already. */
export type LinkState =
  | { readonly kind: 'well' }
  /** Every piece of an answer is delayed by this. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Nobody listens, and open connections are broken off. */
  | { readonly kind: 'gone' }
  /** Connections are taken, and nothing is ever answered. */
  | { readonly kind: 'silent' }
  /** Every connection breaks off after so many bytes of answers: what was asked for may have been done. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** A proxy answers every HTTP request with this status. */
  | { readonly kind: 'refused'; readonly status: number };

export class Link {
  readonly #host: string;
  readonly #storePort: number;
  readonly #server = createServer({ allowHalfOpen: true }, (client) => this.#take(client));
  readonly #sockets = new Set<Socket>();
  #state: LinkState = { kind: 'well' };
  #port = 0;
  #isListening = false;

  private constructor(storeUrl: string) {
    const { hostname, port } = new URL(storeUrl);
    this.#host = hostname;
    this.#storePort = Number(port);
  }

  static async open(storeUrl: string): Promise<Link> {
    const link = new Link(storeUrl);
    await link.#listen();
    return link;
  }

  get port(): number {
    return this.#port;
  }

  async become(state: LinkState): Promise<void> {
    this.#state = state;
    if (state.kind === 'gone') await this.close();
    else if (!this.#isListening) await this.#listen();
    // Connections on which nothing was ever answered stay so in a real network; a new one is made once they are given up.
    if (state.kind === 'well') for (const socket of this.#silenced) socket.destroy();
  }

  async close(): Promise<void> {
    if (!this.#isListening) return;
    this.#isListening = false;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the link has no port');
    this.#port = address.port;
    this.#isListening = true;
  }

  readonly #silenced = new Set<Socket>();

  #take(client: Socket): void {
    const store = connectTo({ host: this.#host, port: this.#storePort, allowHalfOpen: true });
    const end = () => {
      for (const socket of [client, store]) socket.destroy();
      this.#silenced.delete(client);
    };
    for (const socket of [client, store]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    let answered = 0;
    client.on('data', (bytes) => {
      if (this.#state.kind === 'refused') {
        const { status } = this.#state;
        const body = '<html>a proxy says: no upstream</html>';
        client.end(
          `HTTP/1.1 ${status} Refused\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
        );
        return;
      }
      store.write(bytes);
    });
    client.on('end', () => store.end());
    // One after the other: a delay must not turn pieces around.
    let order = Promise.resolve();
    const pass = (what: (state: LinkState) => void) => {
      order = order.then(async () => {
        if (this.#state.kind === 'slow') await pause(this.#state.delayMs);
        if (this.#state.kind === 'silent') this.#silenced.add(client);
        else what(this.#state);
      });
    };
    store.on('data', (bytes) =>
      pass((state) => {
        if (state.kind === 'cut') {
          answered += bytes.length;
          const kept = Math.max(0, bytes.length - Math.max(0, answered - state.afterBytes));
          if (kept > 0) client.write(bytes.subarray(0, kept));
          if (answered >= state.afterBytes) client.destroy();
        } else {
          client.write(bytes);
        }
      }),
    );
    store.on('end', () => pass(() => client.end()));
  }
}
