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
  const parts = partsOf(value);
  values.left -= parts.length;
  if (values.left < 0) return true;
  if (parts.length === 0) return false;
  return levels === 0 || parts.some((part) => isBeyond(part, levels - 1, values));
}

const partsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : typeof value === 'object' && value !== null ? Object.values(value) : [];
