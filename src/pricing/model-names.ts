/** How providers, clouds and routers spell a model's name. All names but those of `bareModelName` are in lower case. */

/** A model's name without the paths that APIs put before it: Gemini's `models/`, Vertex's and Bedrock's full resource names. */
export function bareModelName(model: string): string {
  const name = model.trim().toLowerCase();
  if (name.startsWith('models/')) return name.slice('models/'.length);
  if (isOfOtherPartition(name)) return name;
  const isResourceName = name.startsWith('arn:aws') || name.includes('publishers/');
  return isResourceName ? name.slice(name.lastIndexOf('/') + 1) : name;
}

/** The cloud whose full resource names look like this one, whatever model they mean; a name of Bedrock may hide it. */
export function cloudOfResource(model: string): 'aws' | 'google' | '' {
  const name = model.trim().toLowerCase();
  if (/^arn:aws[a-z-]*:bedrock:/.test(name)) return 'aws';
  return name.includes('publishers/') ? 'google' : '';
}

/** Bedrock in AWS GovCloud and in China: the same names, other prices, which nobody lists. */
export function isOfOtherPartition(name: string): boolean {
  return /^(?:arn:aws-|us-gov[.-]|cn-north)/.test(name);
}

/** Whether a name is of a fine-tuned model, which never costs what its base does unless an entry of its own says so. */
export function isFineTuned(name: string): boolean {
  return name.startsWith('ft:') || name.includes('.ft-') || name.startsWith('tunedmodels/');
}

/** A name as its provider spells it, then as others do, in the order in which they are looked up. */
export function spellings(provider: string, name: string): ReadonlySet<string> {
  // LiteLLM names the route and the region of a call to Bedrock.
  if (provider === 'aws') return new Set([name.replace(/^(?:(?:invoke|converse|[a-z]{2}(?:-[a-z]+)+-\d)\/)+/, '')]);
  const dashed = dashDates(name);
  const found = new Set([name, dashed]);
  if (provider === 'azure') found.add(dashed.replace(/^gpt-35-/, 'gpt-3.5-'));
  // Vertex adds a version that Google's own names carry otherwise or not at all.
  if (provider === 'google') found.add(name.replace(/@(?:\d{3}|default|latest)$/, ''));
  // What OpenRouter appends changes how a call is routed or what is done to it, not what its tokens cost.
  if (provider === 'openrouter') found.add(name.replace(/:(?:beta|online|thinking)$/, ''));
  if (provider === 'fireworks' && !name.includes('/')) found.add(`accounts/fireworks/models/${name}`);
  return found;
}

/** `openai/gpt-4o` → `openai`, `gpt-4o`; a name without a prefix has an empty one. */
export function splitPrefix(name: string): [prefix: string, rest: string] {
  const slash = name.indexOf('/');
  return slash < 0 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)];
}

/** Snapshots are dated `20240806` by some and `2024-08-06` by others. */
function dashDates(name: string): string {
  return name.replace(/-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[-:]|$)/g, '-$1-$2-$3');
}
