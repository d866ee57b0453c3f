import type { ControlStore } from '../storage/control/control-store.ts';

/** How often the times are written, in milliseconds; D1.4 lets `last_used_at` lag by a minute. */
const writeEveryMs = 20_000;

/** How the time of use of each kind is written, by its id. */
const writers = {
  api_keys: (control: ControlStore, id: string, at: number) =>
    control.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute(),
  client_secrets: (control: ControlStore, id: string, at: number) =>
    control.updateTable('client_secrets').set({ last_used_at: at }).where('id', '=', id).execute(),
  sessions: (control: ControlStore, idHash: string, at: number) =>
    control.updateTable('sessions').set({ last_seen_at: at }).where('id_hash', '=', idHash).execute(),
  members: (control: ControlStore, id: string, at: number) =>
    control.updateTable('members').set({ last_seen_at: at }).where('id', '=', id).execute(),
} as const;
type Kind = keyof typeof writers;
const kinds = Object.keys(writers) as Kind[];

/** Records when keys, secrets and sessions are used, and writes the times periodically rather than once per request. */
export class LastUsed {
  readonly #control: ControlStore;
  readonly #used = new Map<Kind, Map<string, number>>(kinds.map((kind) => [kind, new Map()]));
  readonly #timer: NodeJS.Timeout;
  #written: Promise<void> = Promise.resolve();

  constructor(control: ControlStore, onError: (cause: unknown) => void) {
    this.#control = control;
    this.#timer = setInterval(() => void this.write().catch(onError), writeEveryMs);
    this.#timer.unref();
  }

  note(kind: Kind, id: string, at: number): void {
    this.#used.get(kind)?.set(id, at);
  }

  /** Writes after what is being written, so that nothing is under way once `close` has ended. */
  async write(): Promise<void> {
    this.#written = this.#written.catch(() => undefined).then(() => this.#writeNoted());
    await this.#written;
  }

  async #writeNoted(): Promise<void> {
    for (const kind of kinds) {
      const used = [...(this.#used.get(kind) ?? [])];
      this.#used.get(kind)?.clear();
      for (const [id, at] of used) await writers[kind](this.#control, id, at);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}
