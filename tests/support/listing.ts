/**
 * Finds the object with this value of a field anywhere in a listing. The decisions leave open how a list is wrapped, so
 * tests search for its objects.
 */
export function findIn(listing: unknown, field: string, value: string): Record<string, unknown> | undefined {
  if (typeof listing !== 'object' || listing === null) return undefined;
  const entries = Object.entries(listing);
  if (entries.some(([name, found]) => name === field && found === value)) return Object.fromEntries(entries);
  return entries.map(([, part]) => findIn(part, field, value)).find((found) => found !== undefined);
}
