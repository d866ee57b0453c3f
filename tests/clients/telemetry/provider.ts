// The fake provider with tools, and a list of what it answered: the usage by which the provider would charge.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Json } from '../../support/client.ts';
import { startFakeProvider } from '../fake-provider.ts';

/** An answer, or a refusal without usage. */
export interface Answered {
  readonly api: 'chat' | 'responses' | 'messages' | 'embeddings';
  /** The model that was asked for, and the one that answered. */
  readonly asked: string;
  readonly model: string;
  readonly usage: Json | undefined;
}

export interface Provider {
  readonly url: string;
  /** What was answered in a scenario, in order. */
  answered(scenario: string): readonly Answered[];
  close(): Promise<void>;
}

/** In these scenarios the first answer calls a tool, and has this usage; an answer to its result is as any other. */
const isLoop = (scenario: string): boolean => scenario.includes('agent');
const tool = { name: 'weather', arguments: '{"city":"Paris"}' };
const firstUsage = {
  chat: { prompt_tokens: 700, completion_tokens: 40, total_tokens: 740, prompt_tokens_details: { cached_tokens: 128 } },
  messages: { input_tokens: 7, output_tokens: 11, cache_creation_input_tokens: 0, cache_read_input_tokens: 900 },
};

const apiOf = {
  'chat/completions': 'chat',
  responses: 'responses',
  messages: 'messages',
  embeddings: 'embeddings',
} as const;
const paths = z.enum(['chat/completions', 'responses', 'messages', 'embeddings']);

/** `/<scenario>/<family>/v1/…` is answered as the fake provider answers. */
export async function startProvider(): Promise<Provider> {
  const fake = await startFakeProvider();
  const answered = new Map<string, Answered[]>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, scenario = '', family = '', ...rest] = (request.url ?? '').split('/').map(decodeURIComponent);
    const api = apiOf[paths.parse(rest.join('/').replace('v1/', ''))];
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const manner = scenario.includes('limited') ? 'limited' : 'ok';
    const address = new URL(`/${manner}/${family}/${rest.join('/')}`, fake.url('openai'));
    const headers = { 'content-type': 'application/json' };
    const from = await fetch(address, { method: 'POST', headers, body });
    let text = await from.text();
    // The Responses API repeats its instructions.
    const { instructions = null } = object(JSON.parse(body));
    text = text.replaceAll('"instructions":null', `"instructions":${JSON.stringify(instructions)}`);
    const isFirst = isLoop(scenario) && !/"role":"tool"|"tool_result"/.test(body);
    if (isFirst) text = withToolCall(api, text);
    const list = answered.get(scenario) ?? [];
    answered.set(scenario, [...list, read(api, text, body)]);
    const type = from.headers.get('content-type') ?? '';
    response.writeHead(from.status, { 'content-type': type, 'x-should-retry': 'false' }).end(text);
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answered: (scenario) => answered.get(scenario) ?? [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await fake.close();
    },
  };
}

/** The events of a stream, or the one object of any other answer. */
const objectsIn = (text: string): Json[] =>
  text.startsWith('{')
    ? [JSON.parse(text) as Json]
    : [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Json);

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

function read(api: Answered['api'], text: string, request: string): Answered {
  const asked = String(object(JSON.parse(request)).model);
  let [model, usage] = [asked, {} as Json];
  for (const event of objectsIn(text)) {
    // The whole answer is in the last event of a response, and in the first of a message.
    const whole = { ...event, ...object(event.response), ...object(event.message) };
    if (typeof whole.model === 'string') model = whole.model;
    // Of a message's usage the last event has what changed.
    for (const [name, value] of Object.entries(object(whole.usage)))
      if (value !== null) usage = { ...usage, [name]: value };
  }
  return { api, asked, model, usage: Object.keys(usage).length === 0 ? undefined : usage };
}

function withToolCall(api: Answered['api'], text: string): string {
  if (api === 'chat') {
    const answer = object(JSON.parse(text));
    const call = { id: 'call_1', type: 'function', function: tool };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    return JSON.stringify({
      ...answer,
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      usage: firstUsage.chat,
    });
  }
  const use = { type: 'tool_use', id: 'toolu_1', name: tool.name, input: {} };
  const events = objectsIn(text).flatMap((event): Json[] => {
    switch (event.type) {
      case 'message_start':
        return [
          { ...event, message: { ...object(event.message), usage: { ...firstUsage.messages, output_tokens: 1 } } },
        ];
      case 'content_block_start':
        return [{ ...event, content_block: use }];
      case 'content_block_delta':
        return [];
      case 'content_block_stop':
        return [
          { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: tool.arguments } },
          event,
        ];
      case 'message_delta':
        return [
          {
            ...event,
            delta: { stop_reason: 'tool_use', stop_sequence: null },
            usage: { output_tokens: firstUsage.messages.output_tokens },
          },
        ];
      default:
        return [event];
    }
  });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
