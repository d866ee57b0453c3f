// The watched project: it posts, asks and checks its budget all the time, and holds each answer to what it was told before.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { expectStatus, type Project } from '../../support/client.ts';
import { usualOrLong } from '../../support/effort.ts';

export const kinds = ['intake', 'question', 'check'] as const;
export type Kind = (typeof kinds)[number];

/** One request and its answer. */
export interface Sample {
  readonly kind: Kind;
  /** When it was sent, by `performance.now()`. */
  readonly sentAt: number;
  readonly elapsedMs: number;
  /** Of a check: how old what it answered was, when it was asked. */
  readonly behindMs?: number | undefined;
  /** Why the answer is none that a client may rely on; undefined where it is right. */
  readonly fault: string | undefined;
}

/** Pauses between two requests of a kind, in milliseconds. */
const pausesMs: Record<Kind, number> = usualOrLong(
  { intake: 75, question: 180, check: 120 },
  { intake: 25, question: 60, check: 40 },
);
const customers = 20;
const batchOf = 25;
/** A request that has no answer by then is given up, in milliseconds. */
const patienceMs = 30_000;
/** One of the whole project, and one of each customer. */
const budgets = ['whole', 'each'];
/** How old the answer of a check may be, in milliseconds. */
const oldestCheckMs = 300_000;

const rows = z.object({ rows: z.array(z.object({ cost: z.number().optional(), calls: z.number().optional() })) });
const check = z.object({ allowed: z.boolean(), spent: z.number(), as_of: z.iso.datetime() });

/** What is wrong with an answer, and of a check how old it was. */
type Judged = Pick<Sample, 'fault' | 'behindMs'>;
const right: Judged = { fault: undefined };

interface Acknowledged {
  readonly at: number;
  readonly total: number;
}

export class Neighbour {
  readonly samples: Sample[] = [];
  readonly #project: Project;
  readonly #agents: Record<Kind, Agent>;
  /** What each customer was told is stored, and what it has sent. Each call costs 1. */
  readonly #acknowledged = new Map<string, number>();
  readonly #sent = new Map<string, number>();
  readonly #totals: Acknowledged[] = [{ at: 0, total: 0 }];
  readonly #from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  #isOver = false;
  #working: Promise<unknown> = Promise.resolve();

  private constructor(project: Project) {
    this.#project = project;
    const agent = () => new Agent({ keepAlive: true, maxSockets: 4 });
    this.#agents = { intake: agent(), question: agent(), check: agent() };
  }

  static async begin(project: Project): Promise<Neighbour> {
    for (const name of budgets) {
      const body = { name, amount: 1_000_000_000, period: 'quarter', ...(name === 'each' && { each: 'customer' }) };
      expectStatus(await project.api('POST', '/api/budgets/', body), 201);
    }
    const neighbour = new Neighbour(project);
    neighbour.#working = Promise.all([
      neighbour.#again('intake', (serial) => neighbour.#post(serial)),
      neighbour.#again('question', (serial) => neighbour.#ask(serial)),
      neighbour.#again('check', (serial) => neighbour.#check(serial)),
    ]);
    // It is awaited at the end; until then a failure must not count as unhandled.
    neighbour.#working.catch(() => undefined);
    return neighbour;
  }

  /** The samples that were sent between two moments. */
  between(from: number, to: number): Sample[] {
    return this.samples.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** What its totals must be, by customer. */
  get acknowledged(): ReadonlyMap<string, number> {
    return this.#acknowledged;
  }

  async #again(kind: Kind, step: (serial: number) => Promise<Judged>): Promise<void> {
    for (let serial = 0; !this.#isOver; serial += 1) {
      const sentAt = performance.now();
      const judged = await step(serial).catch((cause: unknown): Judged => ({ fault: `${cause}` }));
      this.samples.push({ kind, sentAt, elapsedMs: performance.now() - sentAt, ...judged });
      await pause(pausesMs[kind]);
    }
  }

  async #post(serial: number): Promise<Judged> {
    const customer = customerOf(serial);
    const count = serial % 10 === 0 ? batchOf : 1;
    const event = () => ({ event_id: randomUUID(), event_type: 'x.after', cost: 1, tags: { customer, feature: 'f' } });
    const body = count === 1 ? event() : Array.from({ length: count }, event);
    this.#sent.set(customer, (this.#sent.get(customer) ?? 0) + count);
    const answer = await this.#send('intake', 'POST', this.#project.intakePath, this.#project.secret, body);
    if (answer.status !== 200) return { fault: `${answer.status} ${answer.text}` };
    this.#acknowledged.set(customer, (this.#acknowledged.get(customer) ?? 0) + count);
    this.#totals.push({ at: Date.now(), total: (this.#totals.at(-1)?.total ?? 0) + count });
    return right;
  }

  async #ask(serial: number): Promise<Judged> {
    const customer = customerOf(serial * 7);
    const least = this.#acknowledged.get(customer) ?? 0;
    const path = serial % 2 === 0 ? '/api/costs/' : '/api/usage/';
    const body = { date_from: this.#from, aggregate: 'all', customers: [customer] };
    const answer = await this.#send('question', 'POST', path, this.#project.apiKey, body);
    if (answer.status !== 200) return { fault: `${answer.status} ${answer.text}` };
    const [row] = rows.parse(JSON.parse(answer.text)).rows;
    return { fault: judge(path, row?.cost ?? row?.calls ?? Number.NaN, least, this.#sent.get(customer) ?? 0) };
  }

  async #check(serial: number): Promise<Judged> {
    const customer = customerOf(serial);
    const isOfAll = serial % 2 === 0;
    const path = isOfAll ? '/api/budgets/whole/check/' : `/api/budgets/each/check/?of=${customer}`;
    const askedAt = Date.now();
    const answer = await this.#send('check', 'GET', path, this.#project.apiKey);
    if (answer.status !== 200) return { fault: `${answer.status} ${answer.text}` };
    const { allowed, spent, as_of: asOf } = check.parse(JSON.parse(answer.text));
    const behindMs = askedAt - Date.parse(asOf);
    if (!allowed) return { behindMs, fault: 'a budget that is not spent was not allowed' };
    // While the store does not keep up, memory answers, with what it knows (docs/api/budgets.md).
    if (behindMs > oldestCheckMs) return { behindMs, fault: `as of ${behindMs} ms before it was asked` };
    if (!isOfAll) return { ...right, behindMs };
    const least = this.#totals.findLast(({ at }) => at <= Date.parse(asOf))?.total ?? 0;
    const most = [...this.#sent.values()].reduce((sum, count) => sum + count, 0);
    return { behindMs, fault: judge('the check', spent, least, most) };
  }

  async #send(
    kind: Kind,
    method: string,
    path: string,
    token: string,
    body?: object,
  ): Promise<{ status: number; text: string }> {
    const bytes = body && Buffer.from(JSON.stringify(body));
    return await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(this.#project.farthing.url);
      const outgoing = request(
        {
          ...{ agent: this.#agents[kind], hostname, port, method, path },
          headers: {
            authorization: `Bearer ${token}`,
            ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
          },
        },
        (incoming) => {
          let text = '';
          incoming.setEncoding('utf8').on('data', (more: string) => {
            text += more;
          });
          incoming.once('error', reject);
          incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
        },
      );
      outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error(`no answer within ${patienceMs} ms`)));
      outgoing.once('error', reject);
      outgoing.end(bytes);
    });
  }
}

const customerOf = (serial: number): string => `c${serial % customers}`;

function judge(what: string, found: number, least: number, most: number): string | undefined {
  return found >= least && found <= most ? undefined : `${what} says ${found}, which is not from ${least} to ${most}`;
}

export const quantile = (samples: readonly Sample[], kind: Kind, share: number): number =>
  quantileOf(
    samples.filter((sample) => sample.kind === kind).map(({ elapsedMs }) => elapsedMs),
    share,
  );

/** How old the answers of checks were. */
export const behindQuantile = (samples: readonly Sample[], share: number): number =>
  quantileOf(
    samples.flatMap(({ behindMs }) => (behindMs === undefined ? [] : [behindMs])),
    share,
  );

const quantileOf = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0;
