import { z } from 'zod';
import { isDay } from './days.ts';

/** The first and last day that Farthing accepts (D6.5). */
export const earliestDay = '2000-01-01';
export const latestDay = '2100-12-31';

/** A day in a body, `YYYY-MM-DD`. */
export const dayField = z
  .string()
  .refine(isDay, { error: 'must be a day that exists, as YYYY-MM-DD', abort: true })
  .refine((day) => day >= earliestDay && day <= latestDay, {
    error: `must be from ${earliestDay} to ${latestDay}`,
    params: { code: 'out_of_range' },
  })
  .meta({ format: 'date', example: '2026-11-01' });
