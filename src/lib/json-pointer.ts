/** Whether a text is a JSON Pointer (RFC 6901): empty, or tokens that each begin with `/` and contain `~` only in `~0` and `~1`. */
export const isPointer = (text: string): boolean => /^(\/([^~/]|~[01])*)*$/.test(text);

/** The tokens of a JSON Pointer, unescaped: none for the whole document. */
export const pointerTokens = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
