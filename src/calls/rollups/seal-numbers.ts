import { type Day, toDayNumber } from '../../lib/days.ts';

/** A seal is of one day, and never given out twice: versions are not. */
export const sealOf = (version: number, day: Day): number => version * 65_536 + toDayNumber(day);

/** The same of the column `day`. Needs the parameter `seal_version`. */
export const sealColumn = '{seal_version:UInt64} * 65536 + toUInt16(day)';
