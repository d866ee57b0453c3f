// D7.3: net costs while calls arrive, which takes a store that lets a test in between two statements.
import { expect, test } from 'vitest';
import { Progress } from '../../src/calls/assembly/progress.ts';
import { parseMoney } from '../../src/lib/money.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { CellCache } from '../../src/reports/asking/cell-cache.ts';
import { planPage } from '../../src/reports/asking/page.ts';
import { costsBody, parseCosts } from '../../src/reports/costs/parse.ts';
import { runCosts } from '../../src/reports/costs/run.ts';
import { readNow } from '../../src/reports/facts/as-of.ts';
import { addGrant } from '../../src/reports/facts/grants.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import { assembleAll, base, deliver, newEventId, openWorldOfFile, Writer } from '../assembly/world.ts';

const world = await openWorldOfFile();

/** The store of the world, which does something after every statement. */
class InterruptedStore extends AnalyticStore {
  readonly #afterEach: () => Promise<void>;

  constructor(afterEach: () => Promise<void>) {
    const { url, username, password } = world.engine;
    super({ url, credentials: { username, password } });
    this.#afterEach = afterEach;
  }

  override async select<Row>(...asked: Parameters<AnalyticStore['select']>): Promise<Row[]> {
    const rows = await super.select<Row>(...asked);
    await this.#afterEach();
    return rows;
  }
}

test('D7.3: a row keeps its net cost while calls of other customers arrive', async () => {
  const writer = new Writer();
  const call = (customer: string) =>
    writer.receive(base, {
      event_id: newEventId(),
      event_type: 'x.after',
      cost: 10,
      provider: 'p',
      tags: { customer },
    });
  await deliver(world, ['m', 'n', 'o'].map(call));
  await assembleAll(world);
  const { control, projects, projectId } = world;
  const grant = { provider: 'p', models: null, startsOn: '2026-01-01', expiresOn: null, priority: 0, name: null };
  await addGrant({ control, clock: () => base }, projectId, { ...grant, amount: parseMoney('3') ?? 0n });

  let arrived = 0;
  const store = new InterruptedStore(async () => {
    arrived += 1;
    await deliver(
      world,
      ['a', 'b', 'c'].map((customer) => call(`${customer}${arrived}`)),
    );
    await assembleAll(world);
  });
  const project = await projects.find(projectId);
  if (!project) throw new Error('the world has a project');
  const body = costsBody.parse({ date_from: '2026-01-29', date_to: '2026-01-29', group_by: 'customer', limit: 1_000 });
  const question = parseCosts('costs', projectId, { ...body, apply_credits: true, limit: 3 });
  const answerCache = new AnswerCache(store);
  const sources = {
    store,
    answerCache,
    cellCache: new CellCache(store),
    control,
    clock: () => base,
    progress: new Progress(() => base),
  };
  const page = await runCosts(
    await readNow(control, project),
    question,
    planPage(project, question, { limit: 3 }, base),
    sources,
  );
  await store.close();

  expect(arrived).toBeGreaterThan(1);
  expect(page.rows).toHaveLength(3);
  expect(page.rows.map(({ cost }) => cost)).not.toContain(0);
});
