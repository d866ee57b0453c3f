// A random project on several instances: everything is sent to one of them or another, and what each answers is compared with the model.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { creditableEvent, type History, type HistoryEvent, historyOf, prices } from '../support/arbitraries/history.ts';
import { customEvent, keyMetrics } from '../support/arbitraries/key-metrics.ts';
import { grantsWithin, type NewGrant, revenueWithin, smallAmount } from '../support/arbitraries/money.ts';
import { creditedQuery, marginQuery, performanceQuery } from '../support/arbitraries/questions.ts';
import { type Answer, connect, type Json, type Project, send } from '../support/client.ts';
import { addRevenue, allMargin } from '../support/margin.ts';
import {
  type CostsQuery,
  expectRows,
  type KeyMetric,
  type MarginQuery,
  type MetricEvent,
  type ModelStore,
  modelCosts,
  modelMargin,
  modelPerformance,
  type PerformanceQuery,
  type RevenueEntry,
} from '../support/model.ts';
import { grantCredits, makeCallIds, setPrices, tagsByName, textOf } from '../support/stored-history.ts';
import type { Deployment, Instance } from './deployment.ts';

const monthOfDays = 31;
const event = fc.oneof(creditableEvent(monthOfDays), { weight: 1, arbitrary: customEvent(monthOfDays) });

export interface Work {
  readonly past: History;
  readonly type: 'revenue' | 'internal';
  readonly revenue: RevenueEntry[][];
  readonly grants: NewGrant[];
  readonly metrics: KeyMetric[];
  readonly costs: CostsQuery[];
  readonly margins: MarginQuery[];
  readonly performances: PerformanceQuery[];
}

const some = <T>(query: fc.Arbitrary<T>) => fc.array(query, { minLength: 3, maxLength: 3 });

export const work: fc.Arbitrary<Work> = fc.record({
  past: historyOf(event),
  type: fc.constantFrom('revenue', 'internal'),
  revenue: revenueWithin(monthOfDays, smallAmount),
  grants: fc.oneof(fc.constant<NewGrant[]>([]), grantsWithin(monthOfDays)),
  metrics: keyMetrics,
  costs: some(creditedQuery(monthOfDays)),
  margins: some(marginQuery(monthOfDays)),
  performances: some(performanceQuery(monthOfDays)),
});

const anyOf = <T>(things: readonly T[]): T => {
  const thing = things[Math.floor(Math.random() * things.length)];
  if (thing === undefined) throw new Error('there is nothing to choose from');
  return thing;
};

/** How long an event is sent again and again before that counts as a fault, in milliseconds. */
const patienceMs = 60_000;

/** A project that is being filled, and what the model has of it. */
export class Filling {
  readonly #deployment: Deployment;
  readonly #work: Work;
  readonly #project: Project;
  readonly #model: ModelStore;
  readonly #events: MetricEvent[] = [];
  readonly #ids = makeCallIds();
  /** Requests that were not answered with 200, by what became of them. */
  readonly refusals = new Map<string, number>();

  private constructor(deployment: Deployment, given: Work, project: Project, model: ModelStore) {
    this.#deployment = deployment;
    this.#work = given;
    this.#project = project;
    this.#model = { ...model, events: this.#events };
  }

  get events(): number {
    return this.#events.length;
  }

  /** Makes the project; each request goes to another instance. All must be well. */
  static async begin(deployment: Deployment, given: Work): Promise<Filling> {
    const { past, type, metrics } = given;
    const anywhere = connect(() => anyOf(deployment.instances).url, deployment.adminToken);
    const project = await anywhere.createProject({ timezone: past.timezone, type });
    await setPrices(project, prices);
    if (past.customerTags.length > 0) {
      await project.tag(...past.customerTags.map(([customer_name, tags]) => ({ customer_name, tags })));
    }
    const isInternal = type === 'internal';
    if (isInternal && past.userTags.length > 0) {
      await project.tagUsers(...past.userTags.map(([user_name, tags]) => ({ user_name, tags })));
    }
    if (isInternal) for (const { name, ...definition } of metrics) await project.keyMetric(name, definition);
    else for (const entries of given.revenue) await addRevenue(project, ...entries);
    const grants = await grantCredits(project, given.grants);
    const model: ModelStore = {
      timezone: past.timezone,
      prices,
      customerTags: tagsByName(past.customerTags),
      userTags: tagsByName(past.userTags),
      events: [],
      grants,
      ...(isInternal ? { keyMetrics: metrics } : { revenue: given.revenue.flat(), atRiskBelowPct: null }),
    };
    return new Filling(deployment, given, project, model);
  }

  /**
   * Posts the requests of the history one after the other, each until an instance has acknowledged it. With `home`, all to
   * that instance, which is asked after each: its answer must have everything, whatever else happens.
   */
  async fill({ home, pauseMs }: { readonly home?: Instance; readonly pauseMs: number }): Promise<void> {
    for (const batch of this.#work.past.batches) {
      await this.#post(batch, home);
      if (home) await this.#askHome(home);
      await pause(Math.random() * pauseMs);
    }
  }

  async #post(batch: readonly HistoryEvent[], home: Instance | undefined): Promise<void> {
    const posted = batch.map((each, index) => {
      const id = this.#ids[each.call] ?? randomUUID();
      const fields: Json = { event_id: index % 5 === 4 ? id.toUpperCase() : id, ...each.fields };
      return { event: fields, values: new Map(each.values), text: textOf(fields, each) };
    });
    const raw = `[${posted.map(({ text }) => text).join(',')}]`;
    await this.#untilOk(
      () => (home ?? anyOf(this.#deployment.instances)).url,
      (url) => send('POST', `${url}${this.#project.intakePath}`, { raw, token: this.#project.secret }),
    );
    const receivedAt = Date.now();
    this.#events.push(...posted.map(({ event: fields, values }) => ({ event: fields, receivedAt, values })));
  }

  /** Strict (D4.7): an instance has in its answers what it acknowledged, or gives none. */
  async #askHome({ url }: Instance): Promise<void> {
    const query = anyOf(this.#work.costs);
    const answer = await this.#untilOk(
      () => url,
      (base) => send('POST', `${base}/api/costs/`, { body: { limit: 1_000, ...query }, token: this.#project.apiKey }),
    );
    const page = answer.body as { rows: unknown[]; has_more: boolean };
    const expected = modelCosts(this.#model, query);
    expect(page.rows).toEqual(expected.slice(0, 1_000));
  }

  /** Asks again while there is nobody, or nobody who can answer: no other refusal is right. */
  async #untilOk(urlOf: () => string, ask: (url: string) => Promise<Answer>): Promise<Answer> {
    const until = Date.now() + patienceMs;
    for (;;) {
      const answer = await ask(urlOf()).catch(() => undefined);
      if (answer?.status === 200) return answer;
      const outcome = answer === undefined ? 'no answer' : String(answer.status);
      if (answer) expect(answer.status, answer.text).toBe(503);
      this.refusals.set(outcome, (this.refusals.get(outcome) ?? 0) + 1);
      if (Date.now() > until) throw new Error(`nothing but ${outcome} for ${patienceMs} ms: ${answer?.text}`);
      await pause(20 + Math.random() * 80);
    }
  }

  /** Every instance answers what the model says, once each has in its answers what it acknowledged. All must be well. */
  async compare(): Promise<void> {
    const { instances, adminToken } = this.#deployment;
    const wholes = instances.map(({ url }) => this.#project.through(connect(url, adminToken)));
    await Promise.all(wholes.map((project) => project.allCosts({ date_from: '2024-01-01', date_to: '2024-01-01' })));
    const { costs, margins, performances, type } = this.#work;
    for (const project of wholes) {
      for (const query of costs)
        expectRows(await project.allCosts({ ...query }), certain(modelCosts(this.#model, query)));
      if (type === 'revenue') {
        for (const query of margins)
          expectRows(await allMargin(project, { ...query }), modelMargin(this.#model, query));
      } else {
        for (const query of performances) {
          expectRows(await project.allPerformance({ ...query }), modelPerformance(this.#model, query));
        }
      }
    }
  }
}

const certain = (rows: readonly object[]) => rows.map((row) => ({ row: { ...row }, certain: true }));
