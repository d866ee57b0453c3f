/** How a provider writes a snapshot's date or version into the name of a model. */
interface SnapshotRule {
  readonly pattern: RegExp;
  /** The replacement for the match, which results in the model's own name. */
  readonly base: string;
  /** Whether the name always means one snapshot; otherwise it means the newest. */
  readonly isSnapshot: boolean;
}

const rules: readonly SnapshotRule[] = [
  // https://platform.openai.com/docs/models: gpt-4o-2024-08-06
  { pattern: /-20\d{2}-\d{2}-\d{2}$/, base: '', isSnapshot: true },
  // https://platform.claude.com/docs/en/about-claude/models/overview: claude-sonnet-4-20250514, and Vertex's
  // claude-sonnet-4@20250514; claude-3-5-sonnet-latest; claude-sonnet-4-0, which is claude-sonnet-4-20250514
  { pattern: /[-@]20\d{6}$/, base: '', isSnapshot: true },
  { pattern: /-latest$/, base: '', isSnapshot: false },
  { pattern: /^(claude-(?:opus|sonnet)-4)-0$/, base: '$1', isSnapshot: false },
  // https://ai.google.dev/gemini-api/docs/models: gemini-2.0-flash-001
  { pattern: /^(gemini-.*)-\d{3}$/, base: '$1', isSnapshot: true },
  // https://docs.mistral.ai/getting-started/models: mistral-large-2411
  { pattern: /^([a-z]+tral-.*)-\d{4}$/, base: '$1', isSnapshot: true },
];

const ruleOf = (name: string): SnapshotRule | undefined => rules.find(({ pattern }) => pattern.test(name));

/** The name of the snapshot's model; any other name is returned as is. Names are in lower case. */
export function baseOf(name: string): string {
  const rule = ruleOf(name);
  return rule ? name.replace(rule.pattern, rule.base) : name;
}

export const isSnapshot = (name: string): boolean => ruleOf(name)?.isSnapshot ?? false;
