/** A value for each of these names, by the name or its place among them. */
export const byName = <Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name, place: number) => Value,
): Record<Name, Value> =>
  Object.fromEntries(names.map((name, place) => [name, make(name, place)])) as Record<Name, Value>;
