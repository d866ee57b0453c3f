// OpenTelemetry's own instrumentation of OpenAI's client, set up by environment variables.
require('./register.cjs');
const { trace } = require('@opentelemetry/api');
const { OpenAI } = require('openai');

const traces = {};
const [model, messages] = ['gpt-5-mini', [{ role: 'user', content: 'a secret question' }]];

const calls = {
  chat: (client) => client.chat.completions.create({ model, messages }),
  'chat stream': async (client) => {
    const asked = { stream: true, stream_options: { include_usage: true } };
    for await (const _ of await client.chat.completions.create({ model, messages, ...asked }));
  },
  responses: (client) => client.responses.create({ model, input: 'a secret question' }),
  embedding: (client) =>
    client.embeddings.create({ model: 'text-embedding-3-small', input: 'a secret question', encoding_format: 'float' }),
  limited: (client) => client.chat.completions.create({ model, messages }).catch(() => undefined),
};

async function run() {
  for (const [name, call] of Object.entries(calls)) {
    const of = `official ${name}`;
    const baseURL = `${process.env.PROVIDER_URL}/${encodeURIComponent(of)}/openai/v1`;
    await trace.getTracer('app').startActiveSpan(of, async (span) => {
      traces[of] = span.spanContext().traceId;
      await call(new OpenAI({ apiKey: 'k', baseURL, maxRetries: 0 }));
      span.end();
    });
  }
  process.stdout.write(`${JSON.stringify(traces)}\n`);
}

run();
