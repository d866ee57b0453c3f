import { type Day, toDayNumber } from '../../lib/days.ts';

/** The number of seals that each version has: more than there are days from 1970 to 2149. */
export const sealsPerVersion = 65_536;

/** The seal of a day for a version. A seal is never given out twice, because versions are not. */
export const sealOf = (version: number, day: Day): number => version * sealsPerVersion + toDayNumber(day);

/** The version of a seal. */
export const versionOf = (seal: number): number => Math.floor(seal / sealsPerVersion);

/** SQL for `sealOf` of the column `day`. Needs the parameter `seal_version`. */
export const sealColumn = `{seal_version:UInt64} * ${sealsPerVersion} + toUInt16(day)`;
