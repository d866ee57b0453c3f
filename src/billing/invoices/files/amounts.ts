/** Which character separates whole dollars from their fraction. */
export type DecimalSign = 'point' | 'comma';

/** An amount as written: its sign, and its digits with points and commas. */
export interface WrittenAmount {
  readonly isNegative: boolean;
  readonly digits: string;
}

/** Spaces of any width and apostrophes group thousands. */
const groupers = /(?<=\d)[\s\u00a0\u2009\u202f'\u2019](?=\d{3}(?!\d))/g;
const written = /^[\d.,]*\d[\d.,]*$/;

/** Reads `-1,234.50`, `(12.00)`, `$3`, `1 234,5 USD`. Other currencies are refused by name. */
export function readWritten(text: string): WrittenAmount | { readonly fault: string } {
  const trimmed = text.trim();
  const other = /[€£¥₹]|\b(?!USD\b)[A-Z]{3}\b/i.exec(trimmed)?.[0];
  if (other !== undefined) return { fault: `is in ${other}: amounts must be in USD` };
  const inBrackets = /^\((.*)\)$/.exec(trimmed);
  const plain = (inBrackets?.[1] ?? trimmed).replace(/\bUSD\b|\$/gi, '').trim();
  const [, before = '', body = '', after = ''] = /^([-+\u2212]?)\s*(.*?)\s*([-\u2212]?)$/.exec(plain) ?? [];
  const digits = body.replace(groupers, '');
  if (!written.test(digits)) return { fault: 'must be an amount, such as 1234.50' };
  const signs = [inBrackets !== null, before !== '' && before !== '+', after !== ''].filter(Boolean).length;
  if (signs > 1) return { fault: 'has two signs' };
  return { isNegative: signs === 1, digits };
}

type FoundSign = DecimalSign | 'both' | 'neither';

const withPoint = /^(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d+)?$/;
const withComma = /^(?:\d+|\d{1,3}(?:\.\d{3})+)?(?:,\d+)?$/;

/** Which decimal sign makes an amount well-formed; `both` for `1,234`, `1.234` and whole numbers. */
function signOf(digits: string): FoundSign {
  // A group of thousands does not begin with 0.
  const isGrouped = !/^0[.,]/.test(digits);
  const point = withPoint.test(digits) && (isGrouped || !digits.includes(','));
  const comma = withComma.test(digits) && (isGrouped || !digits.includes('.'));
  if (point && comma) return 'both';
  return point ? 'point' : comma ? 'comma' : 'neither';
}

export interface AmountFault {
  readonly index: number;
  readonly message: string;
}

export type DecimalSignFound =
  | { readonly sign: DecimalSign; readonly faults?: never }
  | { readonly sign?: never; readonly faults: readonly AmountFault[] };

/**
 * The decimal sign of all amounts of a file. One amount that can be read in only one way decides for all. If there is
 * none, `likely` decides: the sign that the file's delimiter suggests. Otherwise amounts such as 1,234 are refused.
 */
export function findDecimalSign(amounts: readonly string[], likely: DecimalSign | undefined): DecimalSignFound {
  const signs = amounts.map(signOf);
  const faults: AmountFault[] = [];
  const places = { point: signs.indexOf('point'), comma: signs.indexOf('comma') };
  signs.forEach((found, index) => {
    if (found === 'neither') faults.push({ index, message: 'must be an amount, such as 1234.50' });
  });
  if (faults.length > 0) return { faults };
  if (places.point >= 0 && places.comma >= 0) {
    const index = Math.max(places.point, places.comma);
    const other = amounts[Math.min(places.point, places.comma)];
    return {
      faults: [{ index, message: `has another decimal sign than ${other}: write all amounts alike` }],
    };
  }
  if (places.point >= 0) return { sign: 'point' };
  if (places.comma >= 0) return { sign: 'comma' };
  const unclear = amounts.flatMap((digits, index) => (/[.,]/.test(digits) ? [index] : []));
  // In a file with commas as delimiters, an amount with a comma is quoted: the comma may group thousands or not.
  const isLikely = likely === 'point' && unclear.every((index) => !amounts[index]?.includes(','));
  if (unclear.length === 0 || isLikely) return { sign: 'point' };
  return {
    faults: unclear.map((index) => ({
      index,
      message: `${amounts[index]} can be read in two ways, as thousands or as a fraction, and no other amount of the file shows which: write two fractional digits, or give --decimal`,
    })),
  };
}

/** The amount as decimal text with a point. The digits are well-formed for the sign. */
export function toDecimalText({ isNegative, digits }: WrittenAmount, sign: DecimalSign): string {
  const plain = sign === 'point' ? digits.replaceAll(',', '') : digits.replaceAll('.', '').replace(',', '.');
  return `${isNegative ? '-' : ''}${plain.startsWith('.') ? '0' : ''}${plain}`;
}

export const isWrittenWith = (digits: string, sign: DecimalSign): boolean => {
  const found = signOf(digits);
  return found === sign || found === 'both';
};
