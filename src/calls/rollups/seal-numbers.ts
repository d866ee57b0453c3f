import { type Day, toDayNumber } from '../../lib/days.ts';

/** Days of one version get seals of their own: more than there are from 1970 to 2149. */
export const sealsPerVersion = 65_536;

/** A seal is of one day, and never given out twice: versions are not. */
export const sealOf = (version: number, day: Day): number => version * sealsPerVersion + toDayNumber(day);

/** The same of the column `day`. Needs the parameter `seal_version`. */
export const sealColumn = `{seal_version:UInt64} * ${sealsPerVersion} + toUInt16(day)`;
