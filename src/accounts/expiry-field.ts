import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';

/** The last time with a year of four digits, as RFC 3339 requires. */
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** When a key or secret stops being valid, in milliseconds since 1970; null for never. It must be in the future. */
export const expiryField = (clock: Clock) =>
  z.iso
    .datetime({ offset: true, error: 'must be a time as in 2026-12-31T00:00:00Z' })
    .transform((text) => Date.parse(text))
    .refine((ms) => ms > clock(), { error: 'must be in the future', params: { code: 'out_of_range' } })
    .refine((ms) => ms <= latestMs, { error: 'must be in the year 9999 or before', params: { code: 'out_of_range' } })
    .nullish()
    .transform((ms) => ms ?? null)
    .meta({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When it stops being valid. Default: never.',
    });
