import { randomUUID } from 'node:crypto';

/** Providers and models of which the catalogue has prices. */
export const pricedModels = [
  ['openai', 'gpt-4o-2024-08-06'],
  ['openai', 'gpt-4o-mini'],
  ['openai', 'gpt-4.1'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-3-5-haiku-latest'],
  ['google', 'gemini-2.5-flash'],
  ['google', 'gemini-2.5-pro'],
  ['mistral', 'mistral-small-latest'],
  ['deepseek', 'deepseek-chat'],
] as const;

const models = ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'o3-mini', 'gpt-4-turbo'];

/** The events of a call by its number, at an instant in milliseconds; three calls are a run. `perCall` 1 gives only the `.after`. */
export function eventsOfCall(number: number, at: number, perCall: number): Record<string, unknown>[] {
  const run = Math.floor(number / 3);
  const tags = {
    customer: `customer-${Math.floor(5_000 * ((run * 0.618_033_988_7) % 1) ** 2.5)}`,
    user: `user-${(run * 7_919) % 100_000}`,
    feature: `feature-${run % 20}`,
    run_id: `run-${run}-of-the-day`,
    region: 'eu-central-1',
  };
  const event = { event_id: randomUUID(), model: models[number % models.length], provider: 'openai', tags };
  const after = {
    ...event,
    event_type: 'chat.after',
    timestamp: new Date(at + 900).toISOString(),
    elapsed_ms: 300 + (number % 3_000),
    prompt_tokens: 100 + ((number * 31) % 4_000),
    completion_tokens: 10 + ((number * 17) % 800),
    output: 'The answer that the model gave to the question of the user, or the part of it that is kept. '.repeat(2),
  };
  if (perCall === 1) return [after];
  const before = {
    ...event,
    event_type: 'chat.before',
    timestamp: new Date(at).toISOString(),
    input: 'The question of the user, with what was put in front of it: the instructions, and some context. '.repeat(2),
  };
  return [before, after];
}

/** An event of about 500 bytes that is a call of its own. */
export const makeEvent = (): Record<string, unknown> => ({
  event_id: randomUUID(),
  event_type: 'chat.after',
  timestamp: new Date().toISOString(),
  model: 'gpt-4o-2024-08-06',
  provider: 'openai',
  elapsed_ms: 840,
  prompt_tokens: 412,
  completion_tokens: 87,
  tags: { customer: 'customer-17', user: 'user-4711', feature: 'summarize', run_id: randomUUID(), region: 'eu' },
  note: 'x'.repeat(120),
});
