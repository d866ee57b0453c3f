import type { ControlStore } from '../storage/control/control-store.ts';

/** How often the times are written, in milliseconds; D1.4 lets `last_used_at` lag by a minute. */
const writeEveryMs = 20_000;

/** Records when keys and secrets are used, and writes the times periodically rather than once per request. */
export class LastUsed {
  readonly #control: ControlStore;
  readonly #used = { api_keys: new Map<string, number>(), client_secrets: new Map<string, number>() };
  readonly #timer: NodeJS.Timeout;

  constructor(control: ControlStore, onError: (cause: unknown) => void) {
    this.#control = control;
    this.#timer = setInterval(() => void this.write().catch(onError), writeEveryMs);
    this.#timer.unref();
  }

  note(table: 'api_keys' | 'client_secrets', id: string, at: number): void {
    this.#used[table].set(id, at);
  }

  async write(): Promise<void> {
    for (const table of ['api_keys', 'client_secrets'] as const) {
      const used = [...this.#used[table]];
      this.#used[table].clear();
      for (const [id, at] of used) {
        await this.#control.updateTable(table).set({ last_used_at: at }).where('id', '=', id).execute();
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}
