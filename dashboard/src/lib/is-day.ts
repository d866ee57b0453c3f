/** Whether a text is a day as YYYY-MM-DD, of this century. */
export const isDay = (text: unknown): text is string =>
  typeof text === 'string' &&
  /^20\d{2}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().slice(0, 10) === text;
