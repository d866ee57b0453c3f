import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem.ts';
import type { App } from './app.ts';
import type { Patience } from './connections.ts';

/** A body that is being received. */
export interface Receipt {
  readonly message: IncomingMessage;
  readonly startedAt: number;
  /** The bytes of the connection that were read before it, still encoded. */
  readonly bytesBefore: number;
  /** Called once the body is too slow. */
  onSlow: (problem: Problem) => void;
}

/** Ends requests whose body comes too slowly (D3.7), in bytes on the wire: few may decode to many. */
export class BodyClock {
  readonly #patience: Pick<Patience, 'bodyGraceMs' | 'bodyBytesPerSecond'>;
  readonly #receipts = new Set<Receipt>();

  constructor(app: App, patience: Patience) {
    this.#patience = patience;
    const timer = setInterval(() => this.#check(), patience.checkMs).unref();
    app.addHook('onClose', async () => clearInterval(timer));
  }

  /** Watches a body until `end`. */
  begin(message: IncomingMessage): Receipt {
    const bytesBefore = message.socket.bytesRead;
    const receipt = { message, startedAt: performance.now(), bytesBefore, onSlow: () => undefined };
    this.#receipts.add(receipt);
    return receipt;
  }

  end(receipt: Receipt): void {
    this.#receipts.delete(receipt);
  }

  #check(): void {
    const { bodyGraceMs, bodyBytesPerSecond } = this.#patience;
    const now = performance.now();
    for (const receipt of this.#receipts) {
      const { message, startedAt, bytesBefore } = receipt;
      const elapsedMs = now - startedAt;
      if (elapsedMs < bodyGraceMs || message.complete) continue;
      const bytes = message.socket.bytesRead - bytesBefore;
      if (bytes < (elapsedMs / 1_000) * bodyBytesPerSecond) {
        const detail = `The body came more slowly than ${bodyBytesPerSecond} bytes a second; send it again in smaller parts.`;
        receipt.onSlow(new Problem('request_timeout', detail, { headers: { connection: 'close' } }));
      }
    }
  }
}
