import { z } from 'zod';

export const timeField = z.string().meta({ format: 'date-time' });

/** Milliseconds since 1970 as a time in an answer. */
export const toTime = (ms: number): string => new Date(ms).toISOString();
export const toTimeOrNull = (ms: number | null): string | null => (ms === null ? null : toTime(ms));
