import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, inject, test } from 'vitest';
import { allCalls } from '../../support/calls.ts';
import { expectStatus, type Json, type Project, sharedFarthing, wholeRange } from '../../support/client.ts';
import { seed, usualOrLong } from '../../support/effort.ts';
import {
  expectationOf,
  faultsOf,
  packageRecording,
  packageRecordings,
  postRecording,
} from '../../support/otlp/package-recordings.ts';
import { encodings, eventsIn, postOtlp, sendOtlp } from '../../support/otlp/post.ts';
import { recordedText, recordings } from '../../support/otlp/recorded.ts';
import { callSpan, logRecord, logs, toAttributes, traces, type Value } from '../../support/otlp/records.ts';
import { secretLogs, secretRecord, secretTraces } from '../../support/otlp/secret-exports.ts';

const farthing = sharedFarthing();

/** Where each ecosystem writes prompts and answers, beside what is in the recordings. */
const contentOf = (secret: string): Readonly<Record<string, Value>> => ({
  'gen_ai.prompt.0.content': secret,
  'gen_ai.completion.0.content': secret,
  'gen_ai.input.messages': [{ role: 'user', parts: [secret] }],
  'gen_ai.system_instructions': secret,
  'traceloop.entity.input': secret,
  'llm.input_messages.0.message.content': secret,
  'input.value': secret,
  'langfuse.observation.output': secret,
  'langfuse.observation.metadata.instructions': secret,
  'metadata.gen_ai.system_instructions': secret,
  'mastra.metadata.answer': JSON.stringify({ choices: [{ message: secret }] }),
  'langsmith.metadata.cut': `{'choices': [{'message': '${secret}`,
  'ai.telemetry.metadata.list': JSON.stringify([`They said: ${secret}`]),
  'ai.response.text': secret,
  'ai.toolCall.args': secret,
  'pydantic_ai.all_messages': secret,
  all_messages_events: secret,
  request_data: { messages: [{ content: secret }] },
  response_data: secret,
  'gcp.vertex.agent.llm_request': secret,
  'gen_ai.request.messages': secret,
  'gen_ai.response.text': secret,
  'gen_ai.tool.args': secret,
  'mlflow.spanInputs': secret,
  'llm.prompts': [secret],
  raw_input: secret,
  'a.name.of.any.app': secret,
  'a.list.of.any.name': { content: secret },
});

const spanWith = (secret: string): Json =>
  callSpan({
    attributes: contentOf(secret),
    as: {
      events: [
        { name: 'gen_ai.user.message', attributes: toAttributes({ content: secret }) },
        { name: `They said: ${secret}`, attributes: toAttributes({ 'gen_ai.usage.input_tokens': 5 }) },
        {
          name: 'exception',
          attributes: toAttributes({ 'exception.message': secret, 'exception.stacktrace': secret }),
        },
      ],
      links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), attributes: toAttributes({ prompt: secret }) }],
      // Errors of providers repeat the prompt.
      status: { code: 2, message: `Invalid prompt: ${secret}` },
    },
  });

const recordWith = (secret: string): Json =>
  logRecord(secret, {
    'event.name': 'gemini_cli.api_response',
    model: 'gemini-2.5-pro',
    input_token_count: 1,
    response_text: secret,
    request_text: secret,
  });

test('D14.5: without keep_content no prompt or answer is stored, and what was dropped is named', async () => {
  const project = await farthing.createProject();
  const secret = `secret-${randomUUID()}`;
  const resource = { 'input.value': secret, 'process.command_args': ['ask', secret], 'process.command_line': secret };
  await Promise.all([
    ...encodings.flatMap((encoding) => [
      sendOtlp(project, traces([spanWith(secret)], { resource }), encoding),
      sendOtlp(project, logs([recordWith(secret)]), encoding),
    ]),
    ...recordings.map(async (name) => {
      const raw = recordedText(name).replaceAll(/SECRET-(?:PROMPT|ANSWER)/g, secret);
      expectStatus(await postOtlp(project, traces([]), 'json', { raw }), 200);
    }),
  ]);
  const answer = await project.api('GET', '/api/events/?limit=1000');
  expect(answer.text).toContain('content_dropped');
  expect(answer.text).not.toContain(secret);
  const dropped = (await eventsIn(project)).flatMap(({ content_dropped: names }) => (names as string[]) ?? []);
  expect(dropped).toEqual(
    expect.arrayContaining([
      'gen_ai.prompt',
      'gen_ai.input.messages',
      'ai.prompt.messages',
      'llm.input_messages',
      'langfuse.observation.input',
      'mlflow.spanInputs',
      'a.name.of.any.app',
      'events.content',
      'events.name',
      'status.message',
      'resource.process.command_args',
      'response_text',
      'body',
    ]),
  );
  neverStored.push(secret);
});

/** Expectations that the records contradict: the first has writes for an hour, the second no cached tokens. */
const notHeld: readonly string[] = ['fw-bedrock_invoke', 'ot-agentops-openai'];

test('D14.5, D27.8, D27.9, D35.4: what real packages send is counted and priced right, and no content is stored', async () => {
  const project = await farthing.createProject();
  // Many at once, so that they share an INSERT and a step of assembly, but no more than a service always takes.
  for (let at = 0; at < packageRecordings.length; at += 24) {
    await Promise.all(
      packageRecordings.slice(at, at + 24).map(async (name, index) => {
        const answers = await postRecording(project, packageRecording(name), encodings[index % encodings.length]);
        for (const answer of answers) expectStatus(answer, 200);
      }),
    );
  }
  const calls = await allCalls(project, wholeRange);
  const wrong = packageRecordings.flatMap((name) => {
    const text = JSON.stringify(packageRecording(name).posts);
    const runs = new Set(
      [...text.matchAll(/"(?:traceId|trace_id|session_id|event_id|run)":"([^"]+)"/g)].map(([, id]) => id),
    );
    if (notHeld.includes(name)) return [];
    const own = calls.filter(({ run }) => runs.has(run));
    const faults = faultsOf(own, expectationOf(name));
    return faults.length === 0 ? [] : [{ name, faults }];
  });
  expect(wrong).toEqual([]);
  const stored = await allEvents(project);
  expect(stored.length).toBeGreaterThan(100);
  // The word that most prompts have, and what the others say.
  for (const said of [/zebra/i, /Hello there/, /Be kind/, /Weather (?:in|of)/, /sunny/]) {
    expect(stored.filter((event) => said.test(JSON.stringify(event)))).toEqual([]);
  }
  neverStored.push('zebra-secret-4711');
});

test('D14.5, D16.1: nothing of random exports is stored but what the tables allow', async () => {
  const project = await farthing.createProject();
  const secret = `tell-${randomUUID()}`;
  const sample = <Value>(of: fc.Arbitrary<Value>): Value[] => fc.sample(of, { seed, numRuns: usualOrLong(10, 100) });
  const post = async (path: string, body: unknown) =>
    expectStatus(await farthing.send('POST', `${project.intakePath}${path}`, { token: project.secret, body }), 200);
  const records = sample(secretRecord(secret, { id: secret, model: 'gpt-4o', error_str: secret }, ['metadata']));
  // At once, so that they share an INSERT.
  await Promise.all([
    ...encodings.flatMap((encoding) =>
      [secretTraces, secretLogs]
        .flatMap((exportsOf) => sample(exportsOf(secret, encoding === 'json')))
        .map(async (body) => expectStatus(await postOtlp(project, body, encoding), 200)),
    ),
    post(
      'litellm/',
      records.map((record, id) => ({ ...record, id })),
    ),
    ...sample(secretTraces(secret, true)).map((body) => post('openrouter/', body)),
  ]);
  const stored = await allEvents(project);
  expect(stored.length).toBeGreaterThan(30);
  expect(stored.filter((event) => JSON.stringify(event).includes(secret))).toEqual([]);
  for (const path of ['v1/traces', 'v1/logs', 'litellm/', 'openrouter/', '']) {
    const raw = `{"resourceSpans": [{"a": "${secret}"`;
    const refused = await farthing.send('POST', `${project.intakePath}${path}`, { token: project.secret, raw });
    expectStatus(refused, 400);
    expect(refused.text).not.toContain(secret);
  }
  neverStored.push(secret);
});

/** What the tests sent and no file may have. The files are read once, after all of them. */
const neverStored: string[] = [];

afterAll(() => {
  expect(filesWith(neverStored)).toEqual([]);
});

/** All events of a project, page by page. */
async function allEvents(project: Project): Promise<Json[]> {
  const found: Json[] = [];
  for (let cursor = ''; ; ) {
    const page = expectStatus(await project.api('GET', `/api/events/?limit=1000${cursor}`), 200) as {
      rows: { event: Json }[];
      next_cursor: string | null;
    };
    found.push(...page.rows.map(({ event }) => event));
    if (page.next_cursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

/** The files of the service and its stores with one of these texts. What the stores pack is in no file as it is. */
const filesWith = (texts: readonly string[]): string[] =>
  inject('dataDirs')
    .flatMap(filesIn)
    .filter((path) => {
      const bytes = readIfThere(path);
      return texts.some((text) => bytes.includes(text));
    });

/** The store merges its parts all the while: a folder that vanished is listed again, with what took its place. */
function filesIn(directory: string): string[] {
  for (;;) {
    try {
      return readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .map((name) => join(directory, name))
        .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (!isGone(error)) throw error;
    return Buffer.alloc(0);
  }
}

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

test('D14.5: a project with keep_content stores what it receives', async () => {
  const project = await farthing.createProject({ keep_content: true });
  expect(expectStatus(await project.api('GET', '/api/project/'), 200)).toMatchObject({ keep_content: true });
  const secret = `secret-${randomUUID()}`;
  await Promise.all(
    encodings.flatMap((encoding) => [
      sendOtlp(project, traces([spanWith(secret)]), encoding),
      sendOtlp(project, logs([recordWith(secret)]), encoding),
    ]),
  );
  const events = await eventsIn(project);
  for (const event of events) {
    expect(JSON.stringify(event.otel)).toContain(secret);
    expect(event).not.toHaveProperty('content_dropped');
  }
  const path = `/admin/projects/${project.id}/`;
  expect(expectStatus(await farthing.admin('PATCH', path, { keep_content: false }), 200)).toMatchObject({
    keep_content: false,
  });
});

test('D3.5: a span that is too large with its content is stored without it', async () => {
  const project = await farthing.createProject({ keep_content: true });
  const attributes = { 'gen_ai.input.messages': 'x'.repeat(1_200_000) };
  await sendOtlp(project, traces([callSpan({ attributes })]), 'protobuf');
  expect(await eventsIn(project)).toMatchObject([{ content_dropped: ['otel'], input_tokens: 1000 }]);
});
