/*
 * How providers, clouds and routers spell model names. All names are in lower case, except the arguments of
 * `bareModelName` and `cloudOfResource`.
 */

/** A model's name without API paths: Gemini's `models/`, Vertex's and Bedrock's full resource names. */
export function bareModelName(model: string): string {
  const name = plainName(model);
  if (name.startsWith('models/')) return name.slice('models/'.length);
  if (isOfOtherPartition(name)) return name;
  const isResourceName = name.startsWith('arn:aws') || name.includes('publishers/');
  return isResourceName ? name.slice(name.lastIndexOf('/') + 1) : name;
}

/** Claude Code's mark of a context of a million tokens, whose price depends on the prompt's size alone. */
const plainName = (model: string): string =>
  model
    .trim()
    .toLowerCase()
    .replace(/\[1m\]$/, '');

/** The cloud that a full resource name belongs to. A Bedrock name may not show its model. */
export function cloudOfResource(model: string): 'aws' | 'google' | '' {
  const name = model.trim().toLowerCase();
  if (/^arn:aws[a-z-]*:bedrock:/.test(name)) return 'aws';
  return name.includes('publishers/') ? 'google' : '';
}

/** Whether the name is of Bedrock in AWS GovCloud or in China. The same names have other prices there, on no list. */
export function isOfOtherPartition(name: string): boolean {
  return /^(?:arn:aws-|us-gov[.-]|cn-north)/.test(withoutRoute(name));
}

/** A name of Bedrock without LiteLLM's route in front of it: `bedrock/converse/`, `bedrock_mantle/`. */
export const withoutRoute = (name: string): string =>
  name.replace(/^bedrock(?:_[a-z]+)?\/(?:(?:invoke|converse)\/)?/, '');

/** Whether a name is of a fine-tuned model. Its price is that of its own entry, never that of its base model. */
export function isFineTuned(name: string): boolean {
  return name.startsWith('ft:') || name.includes('.ft-') || name.startsWith('tunedmodels/');
}

/** Ollama's tag for size or build of the weights (`deepseek-r1:14b`): such models run on one's own machines. */
export function hasWeightsTag(name: string): boolean {
  return /:(?:\d+(?:\.\d+)?(?:x\d+)?[bm](?:[-.][\w.-]+)?|latest)$/.test(name);
}

/** The spellings of a name in lookup order, the provider's own first. */
export function spellings(provider: string, name: string): ReadonlySet<string> {
  // LiteLLM puts the route and the region in front of Bedrock's names.
  if (provider === 'aws') {
    const plain = name.replace(/^(?:(?:invoke|converse|[a-z]{2}(?:-[a-z]+)+-\d)\/)+/, '');
    return new Set(plain.startsWith('nova-') ? [plain, `amazon.${plain}`] : [plain]);
  }
  const dashed = dashDates(name);
  const found = new Set([name, dashed]);
  if (provider === 'azure') {
    // LiteLLM puts the data zone in front, which is the term `geo`.
    const zoneless = dashed.replace(/^(?:us|eu|global|global-standard)\//, '');
    found.add(zoneless).add(zoneless.replace(/^gpt-35-/, 'gpt-3.5-'));
  }
  // Vertex adds a version that Google's own names write differently or leave out.
  if (provider === 'google') found.add(name.replace(/@(?:\d{3}|default|latest)$/, ''));
  // Routers write a version with a point where the maker writes a dash: `claude-fable-5.1`, `grok-4.1-fast`.
  if (provider === 'anthropic' || provider === 'x-ai') found.add(dashed.replace(/(?<=\d)\.(?=\d)/, '-'));
  // OpenRouter's suffixes change the routing or processing of a call, not the price of its tokens.
  if (provider === 'openrouter') found.add(name.replace(/:(?:beta|online|thinking)$/, ''));
  if (provider === 'fireworks' && !name.includes('/')) found.add(`accounts/fireworks/models/${name}`);
  return found;
}

/** Splits `openai/gpt-4o` into `openai` and `gpt-4o`. A name without a prefix has an empty one. */
export function splitPrefix(name: string): [prefix: string, rest: string] {
  const slash = name.indexOf('/');
  return slash < 0 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)];
}

/** Writes dates as `2024-08-06`; some providers write `20240806`. */
function dashDates(name: string): string {
  return name.replace(/-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[-:]|$)/g, '-$1-$2-$3');
}
