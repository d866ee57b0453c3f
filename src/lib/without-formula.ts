/** The first that shows, if it may begin a formula: spreadsheets pass over what has no glyph before it. */
const beginning = /^[\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]*([=+\-@]|\P{ASCII})/u;

/** Whether a spreadsheet reads a text as a formula. Some drop a tab or carriage return at the start. */
function isFormula(text: string): boolean {
  if (/^[\t\r]/.test(text)) return true;
  // In full width, small, raised or lowered it is the same character.
  return /^[=+\-@]/.test(beginning.exec(text)?.[1]?.normalize('NFKC') ?? '');
}

/** Text that no spreadsheet reads as a formula: with an apostrophe in front where one would. */
export const withoutFormula = (text: string): string => (isFormula(text) ? `'${text}` : text);
