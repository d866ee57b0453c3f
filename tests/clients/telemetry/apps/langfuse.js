// Langfuse's wrapper of OpenAI's client, exported over OTLP.
import { observeOpenAI } from '@langfuse/openai';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { setLangfuseTracerProvider } from '@langfuse/tracing';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import { openAiCalls } from './openai-calls.js';
import { exporters, scenario } from './tracing.js';

export async function run() {
  const spanProcessors = exporters().map((exporter) => new LangfuseSpanProcessor({ exporter }));
  const tracerProvider = new NodeTracerProvider({ spanProcessors });
  setLangfuseTracerProvider(tracerProvider);
  for (const [name, call] of Object.entries(openAiCalls)) {
    const who = { userId: 'ann', traceName: name, generationMetadata: { customer: 'acme' } };
    const work = (url) => call(observeOpenAI(new OpenAI({ apiKey: 'k', baseURL: url.openai, maxRetries: 0 }), who));
    await scenario(`langfuse ${name}`, work, { fails: name === 'limited' });
  }
  return [tracerProvider];
}
