// The calls of an app that uses OpenAI's client, whatever observes them.
import { drain } from './tracing.js';

const [model, messages] = ['gpt-5-mini', [{ role: 'user', content: 'a secret question' }]];
const response = { model, instructions: 'a secret instruction', input: 'a secret question' };
const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];

/** Scenarios by name. Each gets a client. */
export const openAiCalls = {
  chat: (client) => client.chat.completions.create({ model, messages }),
  'chat stream': async (client) => {
    const asked = { stream: true, stream_options: { include_usage: true } };
    await drain(await client.chat.completions.create({ model, messages, ...asked }));
  },
  responses: (client) => client.responses.create(response),
  'responses stream': async (client) => drain(await client.responses.create({ ...response, stream: true })),
  embedding: (client) =>
    client.embeddings.create({ model: 'text-embedding-3-small', input: 'a secret question', encoding_format: 'float' }),
  'chat agent': async (client) => {
    const first = await client.chat.completions.create({ model, messages, tools });
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'a secret result' };
    await client.chat.completions.create({ model, tools, messages: [...messages, first.choices[0].message, result] });
  },
  limited: (client) => client.chat.completions.create({ model, messages }),
};
