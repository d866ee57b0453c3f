// OpenInference's instrumentations. Anthropic's client makes spans of its own within theirs.
import Anthropic from '@anthropic-ai/sdk';
import { setMetadata, setUser } from '@arizeai/openinference-core';
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { context } from '@opentelemetry/api';
import OpenAI from 'openai';
import { runInstrumented } from './instrumented-calls.js';

export async function run() {
  new OpenAIInstrumentation().manuallyInstrument(OpenAI);
  new AnthropicInstrumentation().manuallyInstrument(Anthropic);
  await runInstrumented('openinference', Anthropic, (feature, work) => {
    const withUser = setUser(context.active(), { userId: 'ann' });
    return context.with(setMetadata(withUser, { customer: 'acme', feature }), work);
  });
}
