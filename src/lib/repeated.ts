/** Keys that occur again, by index: maps the first to the second, and each later one to the first. */
export function findRepeated(keys: readonly (string | undefined)[]): Map<number, number> {
  const firsts = new Map<string, number>();
  const repeated = new Map<number, number>();
  keys.forEach((key, index) => {
    if (key === undefined) return;
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, index);
      return;
    }
    if (!repeated.has(first)) repeated.set(first, index);
    repeated.set(index, first);
  });
  return repeated;
}
