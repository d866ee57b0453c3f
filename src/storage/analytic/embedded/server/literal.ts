/**
 * A text as an SQL string literal. The literal's value is the text itself, byte for byte.
 * NUL is escaped, because the addon passes statements as C strings, which end at the first NUL.
 */
export function quoteString(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0');
  return `'${escaped}'`;
}

export function quoteIdentifier(name: string): string {
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('\0', '\\0');
  return `\`${escaped}\``;
}
