/** The arguments of a question, as an assistant sends them, or the fields of an answer. The route validates them. */
export type Asked = Readonly<Record<string, unknown>>;

/** The fields of an object; none for any other value. */
export const toFields = (value: unknown): Asked => (typeof value === 'object' && value !== null ? { ...value } : {});
