import { setImmediate as nextTurn } from 'node:timers/promises';
import { runAtOnce, runTurn, type Slices } from '../../lib/slices.ts';
import { alwaysTakenRequests, isLarge } from './overload.ts';
import type { Pace } from './pace.ts';

/** In milliseconds. Beyond that wait requests are refused, so that accepted ones are answered soon. */
const maxWaitMs = 100;
/** How long bodies are parsed in one turn of the event loop, in milliseconds. */
const turnMs = 4;
/** How many turns are left to background work after that; Node accepts one new connection in each. */
const turnsBetween = 8;
/** How long an expected body counts as queued, in milliseconds, so that slow senders do not block others. */
const comingMs = 250;
/** The most bytes that an expected body counts for, also one of unknown size. */
const mostComing = 1_048_576;
/** The parse time per byte to assume until it is measured, in milliseconds: 10 MiB per second. */
const firstMsPerByte = 1_000 / (10 * 1_048_576);

/** An expected body: its request was accepted, but it has not arrived yet. */
export interface ComingBody {
  readonly bytes: number;
  readonly until: number;
  isHere: boolean;
}

interface Waiting {
  readonly bytes: number;
  /** Parses for so many milliseconds, and says whether the body is parsed. */
  readonly parse: (ms: number) => boolean;
}

/** The bodies of one project, in the order of arrival. */
interface Queue {
  readonly waiting: Waiting[];
  waitingBytes: number;
  /** In the order in which their requests were accepted. */
  coming: ComingBody[];
}

/**
 * Parses large bodies in slices, a few per turn of the event loop. Otherwise all bodies that arrive together would be
 * parsed before anything more is read, refused or connected: in an overload that takes seconds (D3.7). Projects take
 * turns, so a project's bodies are parsed soon, whatever others send; they are parsed in order of arrival. Before a turn
 * the queue waits for the pace.
 */
export class ParseQueue {
  readonly #pace: Pick<Pace, 'wait'>;
  /** By project, in the order in which they have their turns. */
  readonly #queues = new Map<string, Queue>();
  /** The recent time per byte, including background work in the turns and waits for the pace, in milliseconds. */
  #msPerByte = firstMsPerByte;
  #isDraining = false;

  constructor(pace: Pick<Pace, 'wait'>) {
    this.#pace = pace;
  }

  /** Whether so much of the project is queued or expected that another large body would not be parsed soon. */
  isFull(project: string): boolean {
    const queue = this.#queues.get(project);
    if (queue === undefined) return false;
    queue.coming = stillComing(queue);
    const requests = queue.waiting.length + queue.coming.length;
    const bytes = queue.coming.reduce((sum, body) => sum + body.bytes, queue.waitingBytes);
    return requests >= alwaysTakenRequests && bytes * this.#msPerByte * this.#countBusy() > maxWaitMs;
  }

  /** How many projects share the turns. */
  #countBusy(): number {
    let busy = 0;
    for (const { waiting } of this.#queues.values()) if (waiting.length > 0) busy += 1;
    return Math.max(busy, 1);
  }

  /** Many requests may be accepted in one turn, before a body arrives. `bytes` is Infinity if unknown. */
  expect(project: string, bytes: number): ComingBody {
    const coming = { bytes: Math.min(bytes, mostComing), until: performance.now() + comingMs, isHere: false };
    const queue = this.#queueOf(project);
    queue.coming = [...stillComing(queue), coming];
    return coming;
  }

  #queueOf(project: string): Queue {
    const known = this.#queues.get(project);
    if (known) return known;
    const queue: Queue = { waiting: [], waitingBytes: 0, coming: [] };
    this.#queues.set(project, queue);
    return queue;
  }

  /** Parses a body of `bytes` bytes when its turn comes; one that is not large at once. */
  async run<T>(project: string, bytes: number, parse: () => Slices<T>, coming?: ComingBody): Promise<T> {
    if (coming) coming.isHere = true;
    if (!isLarge(bytes)) return runAtOnce(parse());
    const queue = this.#queueOf(project);
    queue.waitingBytes += bytes;
    return await new Promise<T>((resolve, reject) => {
      const work = parse();
      queue.waiting.push({
        bytes,
        parse: (ms) => {
          try {
            const done = runTurn(work, ms);
            if (done) resolve(done.result);
            return done !== undefined;
          } catch (error) {
            reject(error);
            return true;
          }
        },
      });
      if (!this.#isDraining) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    let [bytes, startedAt] = [0, performance.now()];
    while (this.#hasWaiting()) {
      await this.#pace.wait();
      bytes += this.#parseTurn();
      for (let turn = 0; turn < turnsBetween; turn += 1) await nextTurn();
      if (bytes === 0) continue;
      const now = performance.now();
      this.#msPerByte = 0.9 * this.#msPerByte + (0.1 * (now - startedAt)) / bytes;
      [bytes, startedAt] = [0, now];
    }
    this.#isDraining = false;
  }

  #hasWaiting(): boolean {
    for (const { waiting } of this.#queues.values()) if (waiting.length > 0) return true;
    return false;
  }

  /** Parses for a turn, and returns the bytes of the bodies that are parsed. */
  #parseTurn(): number {
    const until = performance.now() + turnMs;
    let parsed = 0;
    for (let leftMs = turnMs; leftMs > 0 && this.#queues.size > 0; leftMs = until - performance.now()) {
      const [[project, queue] = []] = this.#queues;
      if (project === undefined || queue === undefined) break;
      this.#queues.delete(project);
      const [first] = queue.waiting;
      if (first?.parse(leftMs)) {
        queue.waiting.shift();
        queue.waitingBytes -= first.bytes;
        parsed += first.bytes;
      }
      if (queue.waiting.length > 0 || stillComing(queue).length > 0) this.#queues.set(project, queue);
      if (!this.#hasWaiting()) break;
    }
    return parsed;
  }
}

function stillComing({ coming }: Queue): ComingBody[] {
  const now = performance.now();
  return coming.filter(({ isHere, until }) => !isHere && until > now);
}
