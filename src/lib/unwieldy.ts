/** The most values and names of a record of another system: reading more of them would hold other requests up. */
const mostValues = 100_000;
/** Deeper values are not read, because serialising them could exhaust the stack. */
const deepest = 200;

/** Whether a value is nested too deeply, or has too many parts, to be read at once. */
export const isUnwieldy = (value: unknown): boolean => isBeyond(value, deepest, { left: mostValues });

/** Whether a value has too many parts to be read at once; it may be nested to any depth. */
export function hasTooManyValues(value: unknown): boolean {
  const unseen: unknown[] = [value];
  for (let seen = 0; unseen.length > 0; seen += 1) {
    if (seen + unseen.length > mostValues) return true;
    for (const part of partsOf(unseen.pop())) unseen.push(part);
  }
  return false;
}

function isBeyond(value: unknown, levels: number, values: { left: number }): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // Without a list of the parts: each record of a request is looked at.
  if (Array.isArray(value)) {
    for (const part of value as readonly unknown[]) if (isPartBeyond(part, levels, values)) return true;
  } else {
    for (const name in value) if (isPartBeyond((value as Record<string, unknown>)[name], levels, values)) return true;
  }
  return false;
}

function isPartBeyond(part: unknown, levels: number, values: { left: number }): boolean {
  values.left -= 1;
  return levels === 0 || values.left < 0 || isBeyond(part, levels - 1, values);
}

const partsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : typeof value === 'object' && value !== null ? Object.values(value) : [];
