// Exports and records of gateways that hold a secret at every place where a sender may put a text, but for the
// attributes and fields that are known to be free of content.
import * as fc from 'fast-check';
import type { Json } from '../client.ts';
import { callSpan, type KeyValue, logRecord, logs, toAttributes, traces } from './records.ts';

/** A name that no table has. */
const randomName = fc.stringMatching(/^[a-z]{10,14}$/);

/** Where libraries write prompts, answers and arguments. */
const contentNames = [
  ...['gcp.vertex.agent.llm_request', 'gcp.vertex.agent.llm_response', 'gen_ai.request.messages', 'input.value'],
  ...['gen_ai.response.text', 'mlflow.spanInputs', 'mlflow.spanOutputs', 'llm.prompts', 'raw_input', 'response'],
  ...['gen_ai.tool.args', 'gen_ai.input.messages', 'gen_ai.prompt', 'gen_ai.prompt.0.content', 'ai.prompt.messages'],
  ...['llm.input_messages.0.message.content', 'output.value', 'langfuse.observation.output', 'lk.user_input'],
  ...['traceloop.entity.input', 'genkit:input', 'haystack.component.output', 'ai.response.text', 'request_data'],
  ...['mirascope.response.content', 'exception.message', 'exception.stacktrace', 'error.message', 'logfire.msg'],
  ...['process.command_args', 'process.command_line', 'url.full', 'url.query', 'db.query.text', 'user_prompt'],
  ...[
    'metadata.gen_ai.system_instructions',
    'langfuse.observation.status_message',
    'langfuse.observation.metadata.tools',
  ],
  ...['mastra.model_generation.input', 'agent.input', 'crew_tasks', 'http.request.header.x_prompt', 'prompt', 'body'],
];

/** Texts that hold the secret, as a sender may write them. */
const texts = (secret: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    secret,
    `Please tell ${secret}.`,
    JSON.stringify([{ role: 'user', content: secret }]),
    `{'content': '${secret}'}`,
    `${secret}${' and so on'.repeat(200)}`,
  );

const names = (secret: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...contentNames) },
    { weight: 2, arbitrary: randomName },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('gen_ai', 'llm', 'ai', 'langfuse', 'http'), randomName)
        .map((parts) => parts.join('.')),
    },
    { weight: 1, arbitrary: fc.constantFrom(secret, `say ${secret}`, `gen_ai.${secret}`, `${secret}.input`) },
  );

/** Values of attributes, and what only looks like one. */
const values = (secret: string, isJson: boolean): fc.Arbitrary<Json> =>
  fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      texts(secret).map((stringValue) => ({ stringValue })),
      fc.constant({ bytesValue: Buffer.from(secret).toString('base64') }),
      isJson
        ? fc.constantFrom({ intValue: secret }, { doubleValue: secret }, { stringValue: 1, [secret]: secret })
        : fc.constant({}),
      fc.array(tie('value'), { minLength: 1, maxLength: 3 }).map((items) => ({ arrayValue: { values: items } })),
      fc.tuple(names(secret), tie('value')).map(([key, value]) => ({
        kvlistValue: {
          values: [
            { key, value },
            { key: secret, value: { intValue: '1' } },
          ],
        },
      })),
    ),
  })).value;

const attributes = (secret: string, isJson: boolean): fc.Arbitrary<KeyValue[]> =>
  fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: fc.record({ key: names(secret), value: values(secret, isJson) }) },
        { weight: 1, arbitrary: names(secret).map((key) => ({ key, value: { intValue: '5' }, [secret]: secret })) },
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((list) => list as KeyValue[]);

/** A sentence as the name of a span, and an attribute that begins with it and is not kept. */
export const betrayedName = (
  secret: string,
): fc.Arbitrary<{ readonly name: string; readonly betrayals: KeyValue[] }> => {
  const sentence = `Tell me of ${secret}`;
  const long = `${sentence}${' and so on'.repeat(200)}`;
  const list = JSON.stringify([sentence, 'And of what is next']);
  const object = `{'content': '${sentence}'}`;
  return fc
    .constantFrom<[name: string, attribute: string, value: Json]>(
      [sentence, 'gen_ai.response.id', { stringValue: long.slice(0, 99) }],
      [`chat ${sentence}`, 'gen_ai.response.finish_reason', { stringValue: sentence }],
      [sentence, 'langfuse.observation.metadata.q', { stringValue: long }],
      [sentence, 'langsmith.metadata.q', { bytesValue: Buffer.from(sentence).toString('base64') }],
      [list.slice(0, -9), 'langfuse.trace.metadata.q', { stringValue: list }],
      [object.slice(0, -1), 'mastra.metadata.q', { stringValue: object }],
      [sentence, 'trace.metadata.q', { stringValue: long }],
      [long, 'gen_ai.prompt', { stringValue: long }],
    )
    .map(([name, key, value]) => ({ name, betrayals: [{ key, value }] }));
};

/** Metadata that is no text to describe a call: bytes, and objects that hold whole requests. */
const badMetadata = (secret: string): fc.Arbitrary<KeyValue[]> => {
  const bytesValue = Buffer.from(secret).toString('base64');
  const bytes = ['langsmith.metadata.b', 'mastra.metadata.b', 'traceloop.association.properties.b', 'trace.metadata.b'];
  const object = JSON.stringify({ role: 'user', content: secret });
  const objects = [
    object,
    JSON.stringify(object),
    `'${object}'`,
    `Message(role='user', content='${secret}')`,
    `["Tell ${secret}"]`,
  ];
  const all = [
    ...bytes.map((key) => ({ key, value: { bytesValue } })),
    ...objects.flatMap((stringValue, index) =>
      ['langsmith.metadata', 'trace.metadata', 'span.metadata'].map((prefix) => ({
        key: `${prefix}.object${'abcde'[index]}`,
        value: { stringValue },
      })),
    ),
    { key: 'trace.metadata.customer', value: { stringValue: object } },
    { key: 'trace.tags', value: { stringValue: JSON.stringify([object]) } },
  ];
  // More names than an event tells would hide others.
  return fc.subarray(all, { maxLength: 5 });
};

/** Attributes that readers read, with values of a wrong kind: a count that is a text, a usage with texts in it. */
const misused = (secret: string): KeyValue[] => {
  const usage = { input_tokens: 5, output_tokens: 1, note: secret, service_tier: `a ${secret}`, [secret]: 1 };
  return [
    ...toAttributes({
      'gen_ai.usage.cache_read.input_tokens': secret,
      'gen_ai.usage.raw': JSON.stringify(usage),
      'langfuse.observation.usage_details': JSON.stringify({ input: 1, text: secret, [secret]: 1 }),
      'ai.response.providerMetadata': JSON.stringify({ anthropic: { usage } }),
      'mlflow.chat.tokenUsage': `{"input_tokens": "${secret}", "input_tokens": 1}`,
      'error.type': `the prompt was ${secret}`,
      'gen_ai.usage.reasoning.output_tokens': { [secret]: secret },
      'openai.response.service_tier': `no tier: ${secret}`,
    }),
  ];
};

/** A request of spans that are all calls. `isJson` adds what only JSON can hold. */
export const secretTraces = (secret: string, isJson: boolean): fc.Arbitrary<Json> =>
  fc
    .record({
      own: attributes(secret, isJson),
      events: fc.array(fc.record({ name: texts(secret), attributes: attributes(secret, isJson) }), { maxLength: 2 }),
      links: attributes(secret, isJson),
      resource: attributes(secret, isJson),
      scope: attributes(secret, isJson),
      text: texts(secret),
      named: fc.option(betrayedName(secret)),
      metadata: badMetadata(secret),
      isFailed: fc.boolean(),
    })
    .map(({ own, events, links, resource, scope, text, named, metadata, isFailed }) => {
      const extra = isJson ? { [secret]: secret, extra: { deep: secret } } : {};
      const call = callSpan({ name: named?.name ?? `Tell me of ${text}` });
      const sent = {
        ...call,
        ...extra,
        ...(isJson && { kind: secret, flags: secret, parentSpanId: `no id: ${secret}`, droppedEventsCount: secret }),
        traceState: `vendor=${secret}`,
        attributes: [
          ...(call.attributes as KeyValue[]),
          ...(named?.betrayals ?? []),
          ...misused(secret),
          ...metadata,
          ...own,
        ],
        events: [
          ...events.map((event) => ({ ...event, ...extra, timeUnixNano: '1' })),
          {
            name: 'exception',
            attributes: toAttributes({ 'exception.type': `A ${secret}`, 'exception.message': text }),
          },
        ],
        links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceState: secret, attributes: links, ...extra }],
        status: { code: isFailed ? 2 : 1, message: text, ...extra },
      };
      const { resourceSpans } = traces([sent]) as { resourceSpans: [{ resource: Json; scopeSpans: [Json] }] };
      const [group] = resourceSpans;
      return {
        resourceSpans: [
          {
            resource: { attributes: [...(group.resource.attributes as KeyValue[]), ...resource], ...extra },
            scopeSpans: [
              {
                ...group.scopeSpans[0],
                scope: { name: `A ${secret}`, version: `v ${secret}`, attributes: scope, ...extra },
              },
            ],
            ...extra,
          },
        ],
      };
    });

/** A request of log records of coding agents that are all calls. */
export const secretLogs = (secret: string, isJson: boolean): fc.Arbitrary<Json> =>
  fc.record({ own: attributes(secret, isJson), text: texts(secret), name: fc.nat(2) }).map(({ own, text, name }) => {
    const counts = { input_token_count: 10, output_token_count: 2, input_tokens: 10, output_tokens: 2, model: 'gpt-5' };
    const record = logRecord(text, {
      ...counts,
      'event.name': ['claude_code.api_error', 'codex.sse_event', 'gemini_cli.api_error'][name] ?? '',
      error: `the prompt was ${secret}`,
      error_type: secret,
      prompt: secret,
    });
    const extra = isJson ? { [secret]: secret, traceId: secret, spanId: `a ${secret}` } : {};
    const sent = { ...record, ...extra, severityText: secret, eventName: `a ${secret}` };
    return logs([{ ...sent, attributes: [...(record.attributes as KeyValue[]), ...own] }], { scope: `A ${secret}` });
  });

/** A JSON value with the secret in it. */
const jsonValues = (secret: string): fc.Arbitrary<unknown> =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      texts(secret),
      fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
      fc.dictionary(fc.oneof(randomName, fc.constantFrom(secret, 'content', 'text')), tie('value'), {
        minKeys: 1,
        maxKeys: 3,
      }),
    ),
  })).value;

/**
 * A record with fields that hold the secret, added to the record itself and to the objects in it at `places`. Fields of
 * the record stay.
 */
export const secretRecord = (secret: string, record: Json, places: readonly string[]): fc.Arbitrary<Json> => {
  const extra = fc.dictionary(fc.oneof(randomName, fc.constant(secret)), jsonValues(secret), {
    minKeys: 1,
    maxKeys: 4,
  });
  return fc.array(extra, { minLength: places.length + 1, maxLength: places.length + 1 }).map(([own, ...inner]) => {
    const made: Json = { ...own, ...structuredClone(record) };
    places.forEach((place, index) => {
      let at: Json = made;
      for (const name of place.split('.')) {
        at[name] = { ...(at[name] as Json | undefined) };
        at = at[name] as Json;
      }
      Object.assign(at, { ...inner[index], ...at });
    });
    return made;
  });
};
