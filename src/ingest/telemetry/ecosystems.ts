import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import { ecosystemFile } from '../ecosystem-file.ts';
import {
  type Agent,
  agentTable,
  type Decision,
  type Ecosystem,
  ecosystemTable,
  type PlainAttributes,
  plainTable,
} from './ecosystem.ts';

const readTable = <Table extends z.ZodType>(name: string, table: Table): z.output<Table> =>
  table.parse(parseJson(readFileSync(ecosystemFile(name), 'utf8')));

/**
 * The ecosystems, in the order in which they decide whether a span is a call. Those that write a value for every kind
 * of span, and those with a scope of their own, come before the conventions, which most of them follow too.
 */
const inOrder = [
  ...['ai-sdk', 'openinference', 'agno', 'langfuse', 'litellm', 'langsmith', 'mirascope', 'mastra', 'openlit'],
  ...['agent-framework', 'pipecat', 'gen-ai', 'anthropic-sdk', 'strands', 'openllmetry', 'pydantic-ai', 'agentops'],
  ...['mlflow', 'haystack', 'llamaindex', 'genkit', 'adk'],
].map((name) => readTable(name, ecosystemTable));

export const ecosystems: readonly Ecosystem[] = inOrder.map((table) => ({ ...table, decision: decisionOf(table) }));

/** The decision of an ecosystem; one that has that of another may have a scope of its own. */
function decisionOf({ decision }: (typeof inOrder)[number]): Decision {
  if (!('as' in decision)) return decision;
  const { as: name, scope, unless } = decision;
  const other = inOrder.find((table) => table.name === name);
  if (!other) throw new Error(`There is no ecosystem ${name}, whose decision another one has`);
  return { ...decisionOf(other), ...(scope !== undefined && { scope }), ...(unless && { unless }) };
}

/** OpenTelemetry's conventions, which most others follow. */
export const genAi = 'gen_ai';

export const agents: readonly Agent[] = ['claude-code', 'codex', 'gemini-cli'].map((name) =>
  readTable(name, agentTable),
);

const readPlain = (name: string): PlainAttributes => readTable(name, plainTable).plain;

/** The tables of emitters whose spans have the attributes of another ecosystem, or are no calls, beside their own. */
export const plainTables: readonly PlainAttributes[] = ['crewai', 'openrouter'].map(readPlain);

/** What has no emitter of its own. */
export const commonTables: readonly PlainAttributes[] = ['requests', 'resources'].map(readPlain);
