import type { ReactNode } from 'react';

/** An amount with its sign, and days from one to another: what a line break would tear apart. */
const whole =
  /([+−<>]*\$[\d.,]*\d[KMBT]?|\d{1,2}(?: [A-Z][a-z]{2})?(?: \d{4})? – \d{1,2} [A-Z][a-z]{2}(?: \d{4})?|−\d[\d.,]*%)/;

/** A sentence whose amounts and days stay on one line each, and in which no line begins with a dot; anything else as it is. */
export const Prose = ({ children }: { readonly children: ReactNode }) =>
  typeof children !== 'string'
    ? children
    : children
        .replaceAll(' · ', '\u00a0· ')
        .split(whole)
        .map((part, place) =>
          place % 2 === 0 ? (
            part
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
            <span key={place} className="whitespace-nowrap">
              {part}
            </span>
          ),
        );
