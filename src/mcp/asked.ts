/** The arguments of a question, as an assistant gives them; also the fields of an answer. The route validates them. */
export type Asked = Readonly<Record<string, unknown>>;

/** The fields of an object; none of anything else. */
export const toFields = (value: unknown): Asked => (typeof value === 'object' && value !== null ? { ...value } : {});
