// What clients do while something breaks, with a ledger of what was acknowledged, and what the service must say of it.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { startCommand } from '../cli/command.ts';
import { type Answer, type CostRow, expectStatus, type Json, type Project, wholeRange } from '../support/client.ts';
import { someOf, usualOrLong } from '../support/effort.ts';
import { type CostsQuery, type ModelPrice, modelCosts } from '../support/model.ts';
import { poll } from '../support/poll.ts';
import { askForReprice, readReprice } from '../support/reprice.ts';
import { setPrices } from '../support/stored-history.ts';

/** What is done beside posting events, which always is. */
export const otherWork = ['tags', 'reprices', 'import'] as const;
export type OtherWork = (typeof otherWork)[number];

const posters = 3;
/** What one round posts at most, so that the model has it done soon. */
const maxEvents = 1_500;
const importedEvents = usualOrLong(500, 12_000);
/** How long a client waits between two requests, in milliseconds. */
const betweenMs = usualOrLong(80, 10);
const days = 9;
const plans = 4;
const model = 'm1';
/** How long the service may take to come back and catch up, in milliseconds. */
const backWithin = 180_000;

/** A call that nobody else has: its absence and its repetition both show by its customer. */
interface Posted {
  readonly customer: string;
  readonly events: readonly Json[];
  isAcknowledged: boolean;
}

interface TagWrite {
  plan: string;
  isAcknowledged: boolean;
}

export class Workload {
  readonly #project: Project;
  readonly #posted: Posted[] = [];
  readonly #tags = new Map<string, TagWrite>();
  #price: ModelPrice = { model, input: '1.25', output: '10', cacheRead: '0.125' };
  #hasRepriced = false;
  #import: Import | undefined;
  #stopped = false;
  #working: Promise<unknown> = Promise.resolve();

  private constructor(project: Project) {
    this.#project = project;
  }

  /** Begins to work in a project. A request that fails is counted as one whose outcome nobody knows. */
  static async begin(project: Project, kinds: readonly OtherWork[]): Promise<Workload> {
    const workload = new Workload(project);
    await setPrices(project, [workload.#price]);
    const works = [
      ...Array.from({ length: posters }, (_, client) => workload.#post(client)),
      ...(kinds.includes('tags') ? [workload.#tag()] : []),
      ...(kinds.includes('reprices') ? [workload.#reprice()] : []),
    ];
    if (kinds.includes('import')) workload.#import = new Import(project);
    workload.#working = Promise.all(works);
    // It is awaited at the end; until then a failure must not count as unhandled.
    workload.#working.catch(() => undefined);
    return workload;
  }

  get acknowledged(): number {
    return this.#posted.filter(({ isAcknowledged }) => isAcknowledged).length;
  }

  /** Kills the import; `finish` runs it again. */
  killImport(): void {
    this.#import?.kill();
  }

  /** Lets clients post again after `finish`. */
  goOn(): void {
    this.#stopped = false;
    this.#working = Promise.all(Array.from({ length: posters }, (_, client) => this.#post(client)));
    this.#working.catch(() => undefined);
  }

  /** Lets clients finish their work. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#working;
  }

  /**
   * Ends the work and holds the answers to the ledger: what was acknowledged is there, what may be there is there once, and
   * when all that failed was sent again, every answer is the model's.
   */
  async finish(): Promise<void> {
    await this.stop();
    await this.#expectAcknowledged();
    await this.#sendAgain();
    if (this.#hasRepriced) {
      this.#price = { ...this.#price, input: '3.5' };
      await untilAnswered(() => setPrices(this.#project, [this.#price]));
      // Of those that were asked for before, at most ten may wait.
      const last = await untilAnswered(() => askForReprice(this.#project, { ...wholeRange, dry_run: false }));
      await poll('the last reprice is in force', { within: backWithin, every: 100 }, async () => {
        const { state } = await untilAnswered(() => readReprice(this.#project, last));
        expect(state).not.toBe('failed');
        return state === 'done' ? true : undefined;
      });
    }
    await this.expectModel();
  }

  /** Posts all events once more, as clients do that don't know whether they were stored. */
  async postAgain(): Promise<void> {
    const all = this.#posted.flatMap(({ events }) => events);
    for (let at = 0; at < all.length; at += 500) {
      await untilTaken(() => this.#project.intake({ body: all.slice(at, at + 500) }));
    }
  }

  /** Every answer is the model's. */
  async expectModel(): Promise<void> {
    const receivedAt = Date.now();
    const store = {
      timezone: 'UTC',
      prices: [this.#price],
      customerTags: new Map([...this.#tags].map(([name, { plan }]) => [name, new Map([['plan', plan]])])),
      events: this.#posted.flatMap(({ events }) => events.map((event) => ({ event, receivedAt, values: new Map() }))),
    };
    const range = { date_from: '2025-04-20', date_to: '2025-05-31' };
    const questions: CostsQuery[] = [
      { ...range, aggregate: 'all' },
      { ...range, aggregate: 'day', group_by: 'feature' },
      { ...range, aggregate: 'all', group_by: 'customer' },
      ...someOf([...new Set([...this.#tags.values()].map(({ plan }) => plan))], 2).map(
        (plan): CostsQuery => ({ ...range, aggregate: 'day', customer_tags: { plan } }),
      ),
    ];
    for (const question of questions) {
      const answer = await untilAnswered(() => this.#project.allCosts({ ...question }));
      expect(answer, JSON.stringify(question)).toEqual(modelCosts(store, question));
    }
    expect(await this.#countCalls()).toBe(this.#posted.length);
  }

  async #expectAcknowledged(): Promise<void> {
    const found = await this.#answerWhenReady();
    // The progress of the import is unknown.
    const calls = await this.#countCalls();
    const missing = this.#posted.filter(({ customer, isAcknowledged }) => isAcknowledged && !found.has(customer));
    expect(missing.map(({ customer }) => customer)).toEqual([]);
    const known = new Map(this.#posted.map((posted) => [posted.customer, posted]));
    const strange = [...found.keys()].filter((customer) => !known.has(customer) && !customer.startsWith('import'));
    expect(strange).toEqual([]);
    if (!this.#import) expect(calls).toBe(found.size);
    if (!this.#hasRepriced) {
      const wrong = [...found].filter(([customer, cost]) => {
        const posted = known.get(customer);
        return posted !== undefined && cost !== modelCost(posted, this.#price);
      });
      expect(wrong).toEqual([]);
    }
  }

  async #answerWhenReady(): Promise<Map<string, number>> {
    const query = { ...wholeRange, aggregate: 'all', group_by: 'customer', limit: 1_000 };
    const rows = await untilAnswered(() => this.#project.allCosts(query));
    return new Map(rows.map((row: CostRow) => [row.customer ?? '', row.cost]));
  }

  async #countCalls(): Promise<number> {
    const usage = await untilAnswered(async () =>
      expectStatus(await this.#project.api('POST', '/api/usage/', { ...wholeRange, aggregate: 'all' }), 200),
    );
    const { rows } = usage as { rows: { calls: number }[] };
    return rows[0]?.calls ?? 0;
  }

  async #sendAgain(): Promise<void> {
    const again = this.#posted.filter(({ isAcknowledged }, index) => !isAcknowledged || index % 10 === 0);
    if (again.length > 0) {
      await untilTaken(() => this.#project.intake({ body: again.flatMap(({ events }) => events) }));
    }
    for (const posted of again) posted.isAcknowledged = true;
    for (const [customer, write] of this.#tags) {
      if (!write.isAcknowledged) await untilTaken(() => this.#postTag(customer, write.plan));
    }
    if (this.#import) this.#posted.push(...(await this.#import.finish()));
    this.#import = undefined;
  }

  async #post(client: number): Promise<void> {
    for (let request = 0; !this.#stopped && this.#posted.length < maxEvents; request += 1) {
      const count = (request + client) % 3 === 0 ? 1 : 2 + (request % 12);
      const posted = Array.from({ length: count }, () => {
        const made = makeCall(`c${this.#posted.length}`, this.#posted.length);
        this.#posted.push(made);
        return made;
      });
      const events = posted.flatMap((one) => one.events);
      const answer = await this.#project
        .intake({ body: events.length === 1 ? events[0] : events })
        .catch(() => undefined);
      if (isTaken(answer)) for (const one of posted) one.isAcknowledged = true;
      await pause(answer?.status === 200 ? betweenMs : 50);
    }
  }

  async #tag(): Promise<void> {
    for (let round = 0; !this.#stopped; round += 1) {
      const customer = `c${round % 40}`;
      const last = this.#tags.get(customer);
      // Of two writes of which one may come late, nobody knows the last: the first is sent until it is taken.
      const plan = last?.isAcknowledged === false ? last.plan : `plan ${(round + Math.floor(round / 40)) % plans}`;
      const write = { plan, isAcknowledged: false };
      this.#tags.set(customer, write);
      write.isAcknowledged = isTaken(await this.#postTag(customer, plan).catch(() => undefined));
      await pause(betweenMs);
    }
  }

  async #postTag(customer: string, plan: string): Promise<Answer> {
    return await this.#project.postTags([{ customer_name: customer, tags: { plan } }], { upsert: true });
  }

  async #reprice(): Promise<void> {
    this.#hasRepriced = true;
    for (let input = 2; !this.#stopped; input += 1) {
      await setPrices(this.#project, [{ ...this.#price, input: String(input) }])
        .then(() => askForReprice(this.#project, { ...wholeRange, dry_run: false }))
        .catch(() => undefined);
      await pause(usualOrLong(300, 150));
    }
  }
}

/** `farthing import` of a file, which goes on by itself as long as it is not killed. */
class Import {
  readonly #project: Project;
  readonly #folder = mkdtempSync(join(tmpdir(), 'farthing-faults-'));
  readonly #calls = Array.from({ length: importedEvents }, (_, index) => makeCall(`import ${index % 50}`, index));
  #command: ReturnType<typeof startCommand>;

  constructor(project: Project) {
    this.#project = project;
    const lines = this.#calls.flatMap(({ events }) => events).map((event) => `${JSON.stringify(event)}\n`);
    writeFileSync(this.#file, lines.join(''));
    this.#command = this.#start();
  }

  kill(): void {
    this.#command.kill('SIGKILL');
  }

  /** Answers what it has imported. */
  async finish(): Promise<readonly Posted[]> {
    for (;;) {
      if (this.#command.exitCode === null && this.#command.signalCode === null) await once(this.#command, 'exit');
      if (this.#command.signalCode === null) break;
      this.#command = this.#start();
    }
    expect(this.#command.exitCode).toBe(0);
    rmSync(this.#folder, { recursive: true, force: true });
    return this.#calls;
  }

  get #file(): string {
    return join(this.#folder, 'events.ndjson');
  }

  #start() {
    const command = startCommand(['import', this.#file], {
      FARTHING_URL: this.#project.farthing.url,
      FARTHING_CLIENT_ID: this.#project.clientId,
      FARTHING_CLIENT_SECRET: this.#project.secret,
    });
    command.stdout?.resume();
    command.stderr?.resume();
    return command;
  }
}

function makeCall(customer: string, serial: number): Posted {
  const event_id = randomUUID();
  const timestamp = `2025-05-0${1 + (serial % days)}T12:00:00Z`;
  const tags = { customer, feature: `f${serial % 3}` };
  const after = { event_id, event_type: 'llm.after', timestamp, model, prompt_tokens: serial + 1 };
  // Of some calls the customer is known from the event before alone.
  const events =
    serial % 4 === 0 ? [{ event_id, event_type: 'llm.before', timestamp, tags }, after] : [{ ...after, tags }];
  return { customer, events, isAcknowledged: false };
}

function modelCost({ events }: Posted, price: ModelPrice): number | undefined {
  const store = {
    timezone: 'UTC',
    prices: [price],
    customerTags: new Map(),
    events: events.map((event) => ({ event, receivedAt: 0, values: new Map() })),
  };
  const [row] = modelCosts(store, { date_from: '2025-04-20', date_to: '2025-05-31', aggregate: 'all' });
  return row?.cost as number | undefined;
}

/** Whether a write was acknowledged. The service may say that it can't now, never that it is broken. */
function isTaken(answer: Answer | undefined): boolean {
  if (answer === undefined) return false;
  expect([200, 503], answer.text).toContain(answer.status);
  if (answer.status === 503) expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  return answer.status === 200;
}

/** Asks again while the service says that it can't now, or a connection breaks off, as clients do. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  const found = await poll('it is answered', { within: backWithin, every: 200 }, async () => {
    try {
      return { answer: await ask() };
    } catch (error) {
      if (!(error instanceof Error) || !passes.test(error.message)) throw error;
      return undefined;
    }
  });
  return found.answer;
}

/** What a problem or a lost connection says that passes: too busy, catching up, or enough changes waiting. */
const passes = /^fetch failed$|"code":"(?:unavailable|catching_up|conflict)"/;

async function untilTaken(write: () => Promise<Answer>): Promise<void> {
  await poll('it is taken', { within: backWithin, every: 100 }, async () =>
    isTaken(await write().catch(() => undefined)) ? true : undefined,
  );
}
