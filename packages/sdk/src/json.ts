/** Reads values of unknown shape: requests, answers and errors of any client. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object at a name; an empty one if there is none. */
export const objectAt = (value: unknown, name: string): Json => {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : {};
};

/** The objects of the list at a name, which is no getter: some of Google's answers print warnings. */
export const objectsAt = (value: unknown, name: string): Json[] => {
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return Array.isArray(found) ? found.filter(isObject) : [];
};

/** The text at a name; undefined if it is empty or none. */
export const textAt = (value: unknown, name: string): string | undefined => {
  const found = isObject(value) ? value[name] : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
};

/** Whether a value is of a class of the platform, also of that of another realm, as in tests that run in a context of their own. */
export const isOf = (value: unknown, name: 'Promise' | 'ReadableStream' | 'Response'): boolean =>
  Object.prototype.toString.call(value) === `[object ${name}]`;
