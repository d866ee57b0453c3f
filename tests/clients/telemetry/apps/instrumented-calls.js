import OpenAI from 'openai';
import { openAiCalls } from './openai-calls.js';
import { drain, scenario } from './tracing.js';

const messages = [{ role: 'user', content: 'a secret question' }];
const message = { model: 'claude-opus-4-8', max_tokens: 1000, system: 'a secret instruction', messages };
const anthropicCalls = {
  messages: (client) => client.messages.create(message),
  'messages stream': async (client) => drain(await client.messages.create({ ...message, stream: true })),
  'messages limited': (client) => client.messages.create(message),
};

const inBaggage = (feature) => ({
  baggage: { 'farthing.customer': 'acme', 'farthing.user': 'ann', 'farthing.feature': feature },
});

/**
 * Runs the calls of patched clients. Who makes them is in the baggage, unless the instrumentation of OpenAI's client has
 * a way to say it: `saying` runs a call so.
 */
export async function runInstrumented(of, Anthropic, saying) {
  const fails = (name) => name.endsWith('limited');
  for (const [name, call] of Object.entries(openAiCalls)) {
    const work = (url) => call(new OpenAI({ apiKey: 'k', baseURL: url.openai, maxRetries: 0 }));
    const said = saying && ((url) => saying(name, () => work(url)));
    await scenario(`${of} ${name}`, said ?? work, { fails: fails(name), ...(said ? {} : inBaggage(name)) });
  }
  for (const [name, call] of Object.entries(anthropicCalls)) {
    const work = (url) => call(new Anthropic({ apiKey: 'k', baseURL: url.anthropic, maxRetries: 0 }));
    await scenario(`${of} ${name}`, work, { fails: fails(name), ...inBaggage(name) });
  }
}
