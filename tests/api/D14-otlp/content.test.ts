import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { encodings, eventsIn, postOtlp, sendOtlp } from '../../support/otlp/post.ts';
import { recordedText, recordings } from '../../support/otlp/recorded.ts';
import { callSpan, logRecord, logs, toAttributes, traces, type Value } from '../../support/otlp/records.ts';

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
  'ai.response.text': secret,
  'ai.toolCall.args': secret,
  'pydantic_ai.all_messages': secret,
  all_messages_events: secret,
  request_data: { messages: [{ content: secret }] },
  response_data: secret,
  'mlflow.of.any.name': `${secret}${' and so on'.repeat(200)}`,
  'a.list.of.any.name': { content: secret },
});

const spanWith = (secret: string): Json =>
  callSpan({
    attributes: contentOf(secret),
    as: {
      events: [
        { name: 'gen_ai.user.message', attributes: toAttributes({ content: secret }) },
        {
          name: 'exception',
          attributes: toAttributes({ 'exception.message': secret, 'exception.stacktrace': secret }),
        },
      ],
      links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), attributes: toAttributes({ prompt: secret }) }],
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
  for (const encoding of encodings) {
    await sendOtlp(project, traces([spanWith(secret)], { resource: { 'input.value': secret } }), encoding);
    await sendOtlp(project, logs([recordWith(secret)]), encoding);
  }
  for (const name of recordings) {
    const raw = recordedText(name).replaceAll(/SECRET-(?:PROMPT|ANSWER)/g, secret);
    expectStatus(await postOtlp(project, traces([]), 'json', { raw }), 200);
  }
  const answer = await project.api('GET', '/api/events/?limit=1000');
  expect(answer.text).toContain('content_dropped');
  expect(answer.text).not.toContain(secret);
  const dropped = (await eventsIn(project)).flatMap(({ content_dropped: names }) => (names as string[]) ?? []);
  expect(dropped).toEqual(
    expect.arrayContaining([
      'gen_ai.prompt',
      'gen_ai.input.messages',
      'ai.prompt',
      'llm.input_messages',
      'langfuse.observation.input',
      'mlflow.of.any.name',
      'events.content',
      'response_text',
      'body',
    ]),
  );
  // What the store packs is in the answer above; everything else is in the files as it is.
  const withSecret = inject('dataDirs')
    .flatMap(filesIn)
    .filter((path) => readIfThere(path).includes(secret));
  expect(withSecret).toEqual([]);
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
  for (const encoding of encodings) {
    await sendOtlp(project, traces([spanWith(secret)]), encoding);
    await sendOtlp(project, logs([recordWith(secret)]), encoding);
  }
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
