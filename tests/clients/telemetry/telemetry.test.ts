// Calls that real clients export cost exactly what the provider's usage says, as far as their spans say it (D14.2 to D14.4).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Call, explainCall, readRun } from '../../support/calls.ts';
import { type Project, sharedFarthing } from '../../support/client.ts';
import { dollars } from '../../support/decimal.ts';
import { callsIn } from '../../support/otlp/post.ts';
import { embeddingPrices, expectedOf, openAiPrices } from './expected.ts';
import { type Answered, type Provider, startProvider } from './provider.ts';
import { runApp } from './run-app.ts';
import { type Said, saidBy, saidByOneOfTwo } from './said.ts';

let provider: Provider;
let project: Project;
let traces: Readonly<Record<string, string>>;
/** What the app that exports everything writes to its error output. */
let complaints: string;
let calls: ReadonlyMap<string, readonly Call[]>;

beforeAll(async () => {
  [provider, project] = await Promise.all([startProvider(), sharedFarthing().createProject()]);
  await project.addPrice({ model: 'gpt-5-mini*', ...openAiPrices });
  await project.addPrice({ model: 'text-embedding-3-small', ...embeddingPrices });
  const [ownProcess, traceloop, official] = await Promise.all([
    // The AI SDK comes last, so that OpenInference's instrumentation of OpenAI's client is there beside its own telemetry.
    runApp(project, provider.url, 'apps/run.js', { args: ['langfuse', 'openinference', 'ai-sdk'] }),
    runApp(project, provider.url, 'apps/run.js', { args: ['traceloop'] }),
    runApp(project, provider.url, 'openai-v6-apps/official.cjs', {
      resource: 'service.name=shop,farthing.customer=acme,farthing.user=ann',
    }),
  ]);
  traces = { ...ownProcess.traces, ...traceloop.traces, ...official.traces };
  complaints = official.complaints;
  calls = Map.groupBy(await callsIn(project), ({ run: trace }) => trace);
});

afterAll(() => provider.close());

const callsOf = (scenario: string): readonly Call[] => calls.get(traces[scenario] ?? '') ?? [];

/** In an order that does not depend on time. */
const inOrder = <Row extends { tokens: Readonly<Record<string, number>> }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => (a.tokens.output ?? 0) - (b.tokens.output ?? 0));

/** The calls of a scenario, with the tokens of each kind that they have. */
const found = (scenario: string) =>
  inOrder(
    callsOf(scenario).map(({ model, provider: by, tokens, units, cost, failed, customer, user, feature }) => ({
      model,
      provider: by,
      tokens: Object.fromEntries(Object.entries(tokens).filter(([, count]) => count > 0)),
      units,
      cost,
      failed,
      customer,
      user,
      feature,
    })),
  );

function expected(of: string, name: string, { unsaid, namesAsked, isAnonymous }: Said) {
  if (unsaid.includes('call')) return [];
  const toCall = (answered: Answered) => {
    const { cost, ...used } = expectedOf(answered, unsaid);
    return {
      ...used,
      cost: dollars(cost),
      model: namesAsked ? answered.asked : answered.model,
      provider: answered.api === 'messages' ? 'anthropic' : 'openai',
      failed: answered.usage === undefined,
      customer: isAnonymous ? '' : 'acme',
      user: isAnonymous ? '' : 'ann',
      // The resource of the official one's app names none; the old telemetry of the AI SDK 7 has the function's name always.
      feature: of === 'official' ? '' : name,
    };
  };
  return inOrder(provider.answered(`${of} ${name}`).map(toCall));
}

const scenarios = Object.entries(saidBy).flatMap(([of, named]) =>
  Object.entries(named).map(([name, said]) => [of, name, said] as const),
);

test.each(scenarios)('D14.4: calls of %s, %s, are those that the provider answered', (of, name, said) => {
  expect(provider.answered(`${of} ${name}`)).not.toEqual([]);
  expect(found(`${of} ${name}`)).toEqual(expected(of, name, said));
});

const costOf = (answered: readonly Answered[], { unsaid }: Said): bigint =>
  unsaid.includes('call') ? 0n : answered.reduce((sum, answer) => sum + expectedOf(answer, unsaid).cost, 0n);

const costOfRun = async (scenario: string) => (await readRun(project, traces[scenario] ?? '')).cost;

test.each(['ai-6 chat agent', 'ai-7-whole messages agent', 'openinference chat agent', 'langfuse chat agent'])(
  'D14.2: the loop of an agent costs the sum of its calls: %s',
  async (scenario) => {
    const answered = provider.answered(scenario);
    expect(answered).toHaveLength(2);
    const whole: Said = { unsaid: [] };
    expect(await costOfRun(scenario)).toBe(dollars(costOf(answered, whole)));
  },
);

test.each(Object.entries(saidByOneOfTwo))(
  'D14.3: of two spans, one has no usage, and the other is the cost: %s',
  async (scenario, said) => {
    expect(await costOfRun(scenario)).toBe(dollars(costOf(provider.answered(scenario), said)));
  },
);

test('D14.3: spans that are exported as JSON and as protobuf are each one call', async () => {
  const [call] = callsOf('ai-6 chat');
  expect((await explainCall(project, call?.event_id ?? '')).events_total).toBe(2);
});

test('D14.2: nothing else is a call, and all calls together cost what the provider would charge for what is said', async () => {
  const scenariosOf = Object.keys(traces);
  const saidOf = new Map([
    ...scenarios.map(([of, name, said]) => [`${of} ${name}`, said] as const),
    ...Object.entries(saidByOneOfTwo),
  ]);
  expect([...saidOf.keys()].toSorted()).toEqual(scenariosOf.toSorted());
  const sum = [...saidOf].reduce((total, [scenario, said]) => total + costOf(provider.answered(scenario), said), 0n);
  expect(await project.totalCost()).toBe(dollars(sum));
});

test('D14.5: no prompt, answer, tool call or result is stored', async () => {
  const { text } = await project.api('GET', '/api/events/?limit=1000');
  expect(text).toContain('ai.generateText.doGenerate');
  expect(text).not.toMatch(/secret|Paris|\bn\b.{0,4}1\}/);
});

test('D14.1: an exporter of traces, metrics and logs has nothing to complain about', () => {
  expect(complaints).toBe('');
});
