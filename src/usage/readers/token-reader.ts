import type { Answerer } from './answerer.ts';
import type { InputCounts, OutputCounts, ReportedCounts } from './usage-counts.ts';
import type { UsageObject } from './usage-object.ts';
import type { Paths } from './usage-paths.ts';

/** The paths of the counts, by which contradicting counts are marked as unread. */
export interface CountPaths {
  readonly input: Readonly<Partial<Record<keyof InputCounts, Paths>>>;
  readonly output: Readonly<Partial<Record<keyof OutputCounts, Paths>>>;
}

export interface TokenCounts extends ReportedCounts {
  readonly paths: CountPaths;
  /** The counts of other models within the call. */
  readonly others?: readonly OtherCounts[] | undefined;
}

/** The counts of another model within a call; the name is empty if the usage has none. */
export interface OtherCounts extends TokenCounts {
  readonly model: string;
  /** Whether the counts around them include them. */
  readonly isPart?: true;
  readonly object: UsageObject;
}

/** Reads a shape into one convention: totals include their parts (D3.10). Null if it has no such count. */
export type TokenReader = (usage: UsageObject, answerer: Answerer) => TokenCounts | null;

/** The counts that a provider sent for each side and for both together. */
export interface SentTotals {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly all: number | undefined;
}

/** The sum of both sides, of which at least one was sent. */
export const sumOfSides = ({ input, output }: SentTotals): number => (input ?? 0) + (output ?? 0);

/**
 * The completion and its reasoning. Usually the completion count includes reasoning. xAI and some gateways to Gemini
 * use the same shape, but exclude reasoning. A total of both sides shows which it is. Without one, or if it is that of
 * neither, their convention holds: xAI's in chat completions always, others' where there is more reasoning than
 * completion. For all others that is a contradiction (D27.4).
 */
export function withReasoning(
  sent: SentTotals,
  reasoning: number | undefined,
  answerer: Answerer,
  isChat = false,
): Pick<OutputCounts, 'total' | 'totalAsSent' | 'reasoning'> {
  const { output, all } = sent;
  if (output === undefined || !reasoning) return { total: output, totalAsSent: output, reasoning };
  const leavesOut = reasoning > output ? answerer.isXAi || answerer.isGemini : isChat && answerer.isXAi;
  const isOnTop = all === sumOfSides(sent) ? false : leavesOut || all === sumOfSides(sent) + reasoning;
  return { total: isOnTop ? output + reasoning : output, totalAsSent: output, reasoning };
}

/** Checks the total of both sides. It may include reasoning that the completion count leaves out. */
export function checkTotal(
  usage: UsageObject,
  list: Paths,
  sent: SentTotals,
  output: Pick<OutputCounts, 'total'>,
): void {
  usage.check(list, sumOfSides(sent), sumOfSides({ ...sent, output: output.total }));
}

/** Checks the count of a side's plain text, which is the side without its other parts. */
export function checkText(
  usage: UsageObject,
  list: Paths,
  total: number | undefined,
  ...parts: (number | undefined)[]
): void {
  if (total === undefined || !usage.has(list)) return;
  usage.check(
    list,
    parts.reduce<number>((rest, part) => rest - (part ?? 0), total),
  );
}
