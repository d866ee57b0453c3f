/** An object in the posted JSON. Only own properties are read, so `__proto__` is an ordinary key (D3.4). */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property's value, or undefined. */
export function ownValue(source: JsonObject, name: string): unknown {
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

export function ownObject(source: JsonObject | undefined, name: string): JsonObject | undefined {
  if (source === undefined) return undefined;
  const value = ownValue(source, name);
  return isJsonObject(value) ? value : undefined;
}

/** The JSON objects in an own property that is a list; none if it is not a list. */
export function ownObjects(source: JsonObject, name: string): readonly JsonObject[] {
  const value = ownValue(source, name);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
