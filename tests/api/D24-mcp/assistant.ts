// An assistant with the official client of the protocol, by either line of it.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Json, Project } from '../../support/client.ts';

/** With the handshake of 2025 and before, or without one, as since 2026-07-28. */
export const lines = ['legacy', 'modern'] as const;
export type Line = (typeof lines)[number];

const modes = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;

/** The most bytes of an answer: 20 KB. */
const maxBytes = 20 * 1_024;

const textSchema = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  isError: z.boolean().default(false),
});

export interface Told {
  readonly isError: boolean;
  readonly text: string;
  /** What a tool says, or the problem of a refusal. */
  readonly told: Json & { readonly answer?: unknown };
}

export interface Assistant {
  readonly client: Client;
  /** Asks a tool. Its answer must be JSON of at most 20 KB. */
  ask(tool: string, asked?: Json): Promise<Told>;
}

export const openClient = (line: Line): Client =>
  new Client({ name: 'assistant', version: '1.0.0' }, { versionNegotiation: { mode: modes[line] } });

/** An assistant on a client that is connected. */
export const toAssistant = (client: Client): Assistant => ({
  client,
  ask: async (name, asked = {}) => {
    const result = await client.callTool({ name, arguments: asked });
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ...result, resultType: 'complete' } });
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(maxBytes);
    const { content, isError } = textSchema.parse(result);
    return {
      isError,
      text: content[0].text,
      told: z.record(z.string(), z.unknown()).parse(JSON.parse(content[0].text)),
    };
  },
});

/** An assistant with the project's key, or another token. */
export async function connectAssistant(
  { farthing, apiKey }: Project,
  {
    line = 'legacy',
    token = apiKey,
    headers = {},
  }: { line?: Line; token?: string; headers?: Record<string, string> } = {},
): Promise<Assistant> {
  const client = openClient(line);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${farthing.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
    }),
  );
  return toAssistant(client);
}
