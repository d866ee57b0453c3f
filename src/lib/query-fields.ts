import { z } from 'zod';
import { isLonger } from './code-points.ts';
import { storableTextOrEmpty } from './tag-map.ts';

/** A field of a query string. A repeated parameter is ambiguous, so it is refused. */
const givenOnce = { error: 'must be given once' };
const parameter = () => z.string(givenOnce);

/** Text of at most `most` characters, which may be empty. */
export const textParameter = (most: number) =>
  parameter()
    .refine((text) => !isLonger(text, most), {
      error: `must have at most ${most} characters`,
      params: { code: 'too_long' },
    })
    .meta({ maxLength: most });

/** The same of what is looked up in the control store. */
export const storedParameter = (most: number) => storableTextOrEmpty(most, givenOnce).meta({ maxLength: most });

/** A whole number from `least` to `most`, read from the digits of the text. */
export const integerParameter = (least: number, most: number) =>
  z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text),
    z.number().int().min(least).max(most),
  );

const rfc3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** RFC 3339 as milliseconds since 1970, rounded up: receipt times are whole, so `from` and `to` stay exact. */
export const instantParameter = parameter()
  .transform((text, context) => {
    const ms = readInstant(text);
    if (ms !== undefined) return ms;
    context.issues.push({
      code: 'custom',
      input: text,
      message: 'must be a time as in 2026-12-31T00:00:00Z',
      params: { code: 'invalid_value' },
    });
    return z.NEVER;
  })
  .meta({ type: 'string', format: 'date-time' });

/** Milliseconds since 1970, or undefined for an invalid time, such as 30 February. */
function readInstant(text: string): number | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [, day = '', time = '', fraction = '', offset = ''] = match;
  const midnightMs = Date.parse(`${day}T00:00:00Z`);
  // Date.parse turns 30 February into a day of March.
  if (Number.isNaN(midnightMs) || new Date(midnightMs).toISOString().slice(0, 10) !== day) return undefined;
  const secondsMs = Date.parse(`${day}T${time}${offset.toUpperCase()}`);
  if (Number.isNaN(secondsMs)) return undefined;
  const [milliseconds, finer] = [fraction.slice(1, 4).padEnd(3, '0'), fraction.slice(4)];
  return secondsMs + Number(milliseconds) + (/[1-9]/.test(finer) ? 1 : 0);
}
