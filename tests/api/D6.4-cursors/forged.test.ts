// Forged cursors: sealed correctly, as by somebody who knows their format, with any content.
import { expect, test } from 'vitest';
import { makeCursor } from '../../../src/lib/http/cursor.ts';
import { callsBody, parseCalls } from '../../../src/reports/calls/parse.ts';
import { costsBody, parseCosts } from '../../../src/reports/costs/parse.ts';
import { marginBody, parseMargin } from '../../../src/reports/margin/parse.ts';
import { parsePerformance, performanceBody } from '../../../src/reports/performance/parse.ts';
import { costEvent, type Project, sharedFarthing } from '../../support/client.ts';
import { someOf, usualOrLong } from '../../support/effort.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

const body = { date_from: '2024-05-01', date_to: '2024-05-31', group_by: 'customer', aggregate: 'day' };
const ofPeriods = ['2024-05-31', '2024-05-15', 'acme'];
const id = '0198c0de-0000-7000-8000-000000000001';
const ofCalls = ['2024-05-31', '2024-05-15', JSON.stringify([1, id, 0])];

interface Route {
  readonly name: string;
  readonly type?: 'internal';
  /** The identity that the route's cursors are bound to. */
  readonly identity: (projectId: string) => unknown;
  /** A valid position. */
  readonly position: readonly string[];
  readonly ask: (project: Project, cursor: string) => ReturnType<Project['api']>;
}

const post = (path: string, asked: object) => (project: Project, cursor: string) =>
  project.api('POST', path, { ...asked, cursor });
const get = (path: string) => (project: Project, cursor: string) =>
  project.api('GET', `${path}?cursor=${encodeURIComponent(cursor)}`);

const { group_by: _, aggregate: __, ...range } = body;
const byUser = { ...body, group_by: 'user' };
const ungrouped = { ...range, aggregate: 'day' };
const routes: readonly Route[] = [
  {
    name: 'costs',
    identity: (project) => parseCosts('costs', project, costsBody.parse(body)).identity,
    position: ofPeriods,
    ask: post('/api/costs/', body),
  },
  {
    name: 'ungrouped costs',
    identity: (project) => parseCosts('costs', project, costsBody.parse(ungrouped)).identity,
    position: ofPeriods,
    ask: post('/api/costs/', ungrouped),
  },
  {
    name: 'usage',
    identity: (project) => parseCosts('usage', project, costsBody.parse(body)).identity,
    position: ofPeriods,
    ask: post('/api/usage/', body),
  },
  {
    name: 'margin',
    identity: (project) => parseMargin(project, marginBody.parse(body)).identity,
    position: ofPeriods,
    ask: post('/api/margin/', body),
  },
  {
    name: 'performance',
    type: 'internal',
    identity: (project) => parsePerformance(project, performanceBody.parse(byUser)).identity,
    position: ofPeriods,
    ask: post('/api/performance/', byUser),
  },
  {
    name: 'calls',
    identity: (project) => parseCalls(project, callsBody.parse(range)).identity,
    position: ofCalls,
    ask: post('/api/calls/', range),
  },
  { name: 'a run', identity: (project) => ['run', project, 'run-1'], position: ofCalls, ask: get('/api/runs/run-1/') },
  {
    name: 'events',
    identity: (project) => ['events', project, null, null, null, null, null, 'newest'],
    position: ['1715774400000', 'wrt_01M7Y940HM46W4C89N0CDQSXWE', '1'],
    ask: get('/api/events/'),
  },
  ...['customers', 'users', 'features', 'models', 'providers'].map((name) => ({
    name,
    identity: (project: string) => [name, project, ''],
    position: ['a'],
    ask: get(`/api/${name}/`),
  })),
  {
    name: 'revenue',
    identity: (project) => ['revenue', project, null, null, null],
    position: ['a'],
    ask: get('/api/revenue/'),
  },
];

const texts = [
  '',
  '\0',
  '\ud800',
  "' OR 1=1 --",
  '1e400',
  '-1',
  '18446744073709551616',
  '2024-02-30',
  '0000-01-01',
  '9999-12-31',
  '+012024-01-01',
  '{}',
  `[1e300,"${id}",0]`,
  `[0,"${id}",65536]`,
  `[0,"' OR 1=1 --",0]`,
];

/** A short position, and the position with each text at each place. */
const forge = (position: readonly string[]): string[][] => [
  [''],
  ...texts.flatMap((text) => position.map((_part, at) => position.with(at, text))),
];

test.each(
  someOf(
    routes.map((route, index) => ({ ...route, index })),
    5,
  ),
)(
  'D6.4: a forged cursor of $name is a 400 or a page of the same question',
  async ({ type, identity, position, ask, index }) => {
    const project = await farthing.createProject(type === undefined ? {} : { type });
    await project.post(costEvent({ cost: 1, tags: { customer: 'acme', user: 'acme', run_id: 'run-1' } }));
    const question = identity(project.id);
    expect((await ask(project, makeCursor(question, position))).status).toBe(200);

    // Every text at several routes.
    const everyNth = usualOrLong(4, 1);
    const forged = forge(position).filter((_one, at) => (at + index) % everyNth === 0);
    for (let start = 0; start < forged.length; start += 10) {
      await Promise.all(
        forged.slice(start, start + 10).map(async (one) => {
          const answer = await ask(project, makeCursor(question, one));
          if (answer.status !== 200) {
            expect(answer.status, `${JSON.stringify(one)}: ${answer.text}`).toBe(400);
            expectProblem(answer, 400, 'invalid_cursor');
          }
        }),
      );
    }
    for (const short of [[], position.slice(1), [...position, 'more']]) {
      expectProblem(await ask(project, makeCursor(question, short)), 400, 'invalid_cursor');
    }
  },
);
