/** The media types that an `Accept` header names, in lower case, the most wanted first. Ranges such as `text/*` are as sent. */
export const acceptedTypes = (accept = ''): string[] =>
  accept
    .split(',')
    .flatMap(readRange)
    .sort((a, b) => b.quality - a.quality)
    .map(({ type }) => type);

function readRange(text: string): { readonly type: string; readonly quality: number }[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const quality = given === undefined ? 1 : Number(given);
  // A quality of 0 refuses the type.
  return quality > 0 ? [{ type, quality }] : [];
}
