// OpenLLMetry's instrumentations, alone and then within OpenInference's.
// They know Anthropic's client up to version 0, which makes no spans of its own.
import * as anthropicSdk from '@anthropic-ai/sdk-v0';
import { AnthropicInstrumentation as AroundAnthropic } from '@arizeai/openinference-instrumentation-anthropic';
import { OpenAIInstrumentation as AroundOpenAi } from '@arizeai/openinference-instrumentation-openai';
import { AnthropicInstrumentation } from '@traceloop/instrumentation-anthropic';
import { OpenAIInstrumentation } from '@traceloop/instrumentation-openai';
import OpenAI from 'openai';
import { runInstrumented } from './instrumented-calls.js';

export async function run() {
  new OpenAIInstrumentation().manuallyInstrument(OpenAI);
  new AnthropicInstrumentation().manuallyInstrument(anthropicSdk);
  await runInstrumented('traceloop', anthropicSdk.default);
  new AroundOpenAi().manuallyInstrument(OpenAI);
  new AroundAnthropic().manuallyInstrument(anthropicSdk.default);
  await runInstrumented('traceloop in openinference', anthropicSdk.default);
}
