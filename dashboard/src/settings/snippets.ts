// Commands and code to copy, with the address of this service.
import { newUuid } from '../lib/uuid.ts';

const newEvent = () => ({
  event_id: newUuid(),
  event_type: 'chat.after',
  model: 'gpt-4o-2024-08-06',
  provider: 'openai',
  tags: { customer: 'acme', feature: 'summarize' },
  elapsed_ms: 840,
  prompt_tokens: 412,
  completion_tokens: 87,
});

export const toEventCurl = (clientId: string, secret: string): string =>
  [
    `curl -sS ${location.origin}/intake/${clientId}/ \\`,
    `  -H 'Authorization: Bearer ${secret}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify(newEvent())}'`,
  ].join('\n');

export const toEventTypeScript = (clientId: string, secret: string): string =>
  `await fetch('${location.origin}/intake/${clientId}/', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ${secret}',
    'content-type': 'application/json',
  },
  body: JSON.stringify({
    event_id: crypto.randomUUID(),
    event_type: 'chat.after',
    model: 'gpt-4o-2024-08-06',
    tags: { customer: 'acme', feature: 'summarize' },
    elapsed_ms: 840,
    prompt_tokens: 412,
    completion_tokens: 87,
  }),
});`;

export const toCostsCurl = (key: string, day: string): string =>
  [
    `curl -sS ${location.origin}/api/costs/ \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ date_from: day, group_by: 'customer' })}'`,
  ].join('\n');
