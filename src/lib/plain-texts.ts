/** A longer value counts as content, even under the name of an id, name or number. */
export const maxPlainLength = 1_024;

const maxWordLength = 128;
const word = /^[\w@][\w./:@+()<>[\]$#-]*$/;

/** Whether a text is one word, as names in code, types of errors and versions are: no sentence. */
export const isWord = (text: string): boolean => text.length <= maxWordLength && word.test(text);

/** Whether a text has no white space, as ids, codes and addresses have none. */
export const isUnspaced = (text: string): boolean => text.length <= maxPlainLength && /^[!-~]*$/.test(text);

const number = /^-?\d{1,24}(?:\.\d{1,24})?(?:[eE][+-]?\d{1,3})?$/;

export const isNumberText = (text: string): boolean => number.test(text);

/** The type of an error: the name of a class, or a code. Any other text may be a message. */
export const plainErrorType = (type: string | undefined): string | undefined =>
  type !== undefined && (isWord(type) || /^HTTP \d{3}$/.test(type)) ? type : undefined;
