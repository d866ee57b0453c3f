import pg from 'pg';

/**
 * The signals between instances. `stored`: the sender has stored events. `awaited`: an answer of the sender waits for
 * assembly. `work`: background work is requested. `assembled`: the watermark has moved. `released`: the lease is free.
 * `changed`: facts that budgets depend on have changed.
 */
export const signals = ['stored', 'awaited', 'work', 'assembled', 'released', 'changed'] as const;
export type Signal = (typeof signals)[number];

/** Carries signals between instances. Signals may be lost, so code that waits for one also polls. */
export interface SignalBus {
  /** Whether the bus receives signals of other instances at this moment. */
  readonly isListening: boolean;
  /** Whether another instance has sent a signal in the last few seconds. Under load each sends one every second. */
  readonly hearsOthers: boolean;
  /** Sends a signal to every other instance. Returns at once and never fails. */
  send(signal: Signal): void;
  /** Calls back for every signal of another instance, and once for each kind when some may have been missed. */
  onSignal(listener: (signal: Signal) => void): void;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** For a single process on its stores. */
export const noSignalBus: SignalBus = {
  isListening: false,
  hearsOthers: false,
  send: () => undefined,
  onSignal: () => undefined,
  open: async () => undefined,
  close: async () => undefined,
};

const channel = 'farthing';
const firstRetryMs = 100;
const lastRetryMs = 5_000;
/** How long after its last signal another instance counts as heard, in milliseconds. */
const latelyMs = 3_000;

/** PostgreSQL's LISTEN and NOTIFY, on its own connection, which reconnects when lost. */
export class PostgresSignalBus implements SignalBus {
  readonly #url: string;
  readonly #sender: string;
  readonly #onError: (cause: Error) => void;
  readonly #listeners = new Set<(signal: Signal) => void>();
  readonly #toSend = new Set<Signal>();
  #client: pg.Client | undefined;
  #sending: Promise<void> | undefined;
  #closed = false;
  #retryMs = firstRetryMs;
  #retry: NodeJS.Timeout | undefined;
  /** When another instance last sent a signal, by `performance.now()`. */
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, sender: string, onError: (cause: Error) => void) {
    this.#url = url;
    this.#sender = sender;
    this.#onError = onError;
  }

  get isListening(): boolean {
    return this.#client !== undefined;
  }

  get hearsOthers(): boolean {
    return performance.now() - this.#heardAt < latelyMs;
  }

  /** Connects, and retries until it succeeds. */
  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'farthing signals',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    let isLost = false;
    const lose = (cause?: Error) => {
      if (isLost) return;
      isLost = true;
      if (this.#client === client) this.#client = undefined;
      client.end().catch(() => undefined);
      if (this.#closed) return;
      if (cause) this.#onError(cause);
      this.#retry = setTimeout(() => void this.open(), this.#retryMs);
      this.#retry.unref();
      this.#retryMs = Math.min(2 * this.#retryMs, lastRetryMs);
    };
    client.on('error', lose);
    client.on('end', () => lose());
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
    } catch (cause) {
      lose(cause as Error);
      return;
    }
    if (this.#closed) return lose();
    this.#client = client;
    this.#retryMs = firstRetryMs;
    // Signals sent before the connection listened are lost, so this assumes one of every kind.
    for (const signal of signals) this.#tell(signal);
  }

  send(signal: Signal): void {
    this.#toSend.add(signal);
    this.#sending ??= this.#sendAll();
  }

  onSignal(listener: (signal: Signal) => void): void {
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    // Waits, because ending the connection would cut off signals being sent, such as `released`.
    await this.#sending;
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  /** Sends one statement at a time. Signals that arrive meanwhile go together in the next one. */
  async #sendAll(): Promise<void> {
    while (this.#toSend.size > 0) {
      const texts = [...this.#toSend].map((signal) => `${this.#sender} ${signal}`);
      this.#toSend.clear();
      await this.#client
        ?.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [channel, texts])
        .catch(() => undefined);
    }
    this.#sending = undefined;
  }

  #receive(payload: string): void {
    const [sender, name] = payload.split(' ');
    const signal = signals.find((known) => known === name);
    if (sender === this.#sender) return;
    this.#heardAt = performance.now();
    if (signal) this.#tell(signal);
  }

  #tell(signal: Signal): void {
    for (const listener of this.#listeners) listener(signal);
  }
}
