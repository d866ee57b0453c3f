// The AI SDK 5, 6 and 7 with its own telemetry, and that of 7 as OpenInference's exporter changes it.
import * as anthropic7 from '@ai-sdk/anthropic';
import * as anthropic5 from '@ai-sdk/anthropic-v2';
import * as anthropic6 from '@ai-sdk/anthropic-v3';
import * as openai7 from '@ai-sdk/openai';
import * as openai5 from '@ai-sdk/openai-v2';
import * as openai6 from '@ai-sdk/openai-v3';
import { LegacyOpenTelemetry, OpenTelemetry } from '@ai-sdk/otel';
import { OpenInferenceBatchSpanProcessor } from '@arizeai/openinference-vercel';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import * as ai7 from 'ai';
import * as ai5 from 'ai-v5';
import * as ai6 from 'ai-v6';
import { z } from 'zod';
import { drain, exporters, scenario } from './tracing.js';

const openInference = new NodeTracerProvider({
  spanProcessors: exporters().map((exporter) => new OpenInferenceBatchSpanProcessor({ exporter })),
});

// Version 7 has the runtime context on the spans of steps, not on those of calls, so the app adds it to all.
const enrichSpan = ({ runtimeContext }) => ({
  'farthing.customer': runtimeContext?.customer,
  'farthing.user': runtimeContext?.user,
  'farthing.feature': runtimeContext?.feature,
});
const whole = { usage: true, providerMetadata: true, enrichSpan };
const who = { customer: 'acme', user: 'ann' };

const inMetadata = (functionId) => ({ experimental_telemetry: { isEnabled: true, functionId, metadata: who } });
/** The telemetry options of a call of version 7. */
const by = (integration) => (feature) => ({
  runtimeContext: { ...who, feature },
  telemetry: {
    functionId: feature,
    includeRuntimeContext: { customer: true, user: true, feature: true },
    integrations: [integration],
  },
});

const setUps = [
  ['ai-5', ai5, openai5, anthropic5, inMetadata],
  ['ai-6', ai6, openai6, anthropic6, inMetadata],
  ['ai-7', ai7, openai7, anthropic7, by(new OpenTelemetry({ enrichSpan }))],
  ['ai-7-whole', ai7, openai7, anthropic7, by(new OpenTelemetry(whole))],
  ['ai-7-legacy', ai7, openai7, anthropic7, by(new LegacyOpenTelemetry())],
  [
    'ai-7-openinference',
    ai7,
    openai7,
    anthropic7,
    by(new OpenTelemetry({ ...whole, tracer: openInference.getTracer('gen_ai') })),
  ],
];

/** Scenarios by name. Each gets the models of a provider and the options of the call. */
function callsOf(ai) {
  const tools = {
    weather: ai.tool({
      description: 'Weather',
      inputSchema: z.object({ city: z.string() }),
      execute: () => 'a secret result',
    }),
  };
  const loop = { tools, stopWhen: (ai.stepCountIs ?? ai.isStepCount)(5) };
  const schema = z.object({ n: z.number() });
  return {
    chat: ({ chat }, options) => ai.generateText({ model: chat, ...options }),
    'chat stream': ({ chat }, options) => drain(ai.streamText({ model: chat, ...options }).textStream),
    responses: ({ responses, webSearch }, options) =>
      ai.generateText({ model: responses, tools: { web_search: webSearch }, ...options }),
    'responses stream': ({ responses }, options) => drain(ai.streamText({ model: responses, ...options }).textStream),
    object: ({ chat }, options) => ai.generateObject({ model: chat, schema, ...options }),
    messages: ({ claude }, options) => ai.generateText({ model: claude, ...options }),
    'messages stream': ({ claude }, options) => drain(ai.streamText({ model: claude, ...options }).textStream),
    'chat agent': ({ chat }, options) => ai.generateText({ model: chat, ...loop, ...options }),
    'messages agent': ({ claude }, options) => drain(ai.streamText({ model: claude, ...loop, ...options }).textStream),
    embedding: ({ embedding }, { system, prompt: value, ...options }) =>
      ai.embed({ model: embedding, value, ...options }),
    embeddings: ({ embedding }, { system, prompt, ...options }) =>
      ai.embedMany({ model: embedding, values: [prompt], ...options }),
    limited: ({ chat }, options) => ai.generateText({ model: chat, ...options }),
  };
}

export async function run() {
  for (const [of, ai, { createOpenAI }, { createAnthropic }, telemetryOf] of setUps) {
    for (const [name, call] of Object.entries(callsOf(ai))) {
      const work = async (url) => {
        const openai = createOpenAI({ apiKey: 'k', baseURL: url.openai });
        const models = {
          chat: openai.chat('gpt-5-mini'),
          responses: openai('gpt-5-mini'),
          webSearch: openai.tools.webSearch({}),
          embedding: openai.embedding('text-embedding-3-small'),
          claude: createAnthropic({ apiKey: 'k', baseURL: `${url.anthropic}/v1` })('claude-opus-4-8'),
        };
        await call(models, {
          system: 'a secret instruction',
          prompt: 'a secret question',
          maxRetries: 0,
          ...telemetryOf(name),
        });
      };
      await scenario(`${of} ${name}`, work, { fails: name === 'limited' });
    }
  }
  return [openInference];
}
