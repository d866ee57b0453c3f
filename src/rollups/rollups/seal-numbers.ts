import { type Day, toDayNumber } from '../../lib/days.ts';

/** How many seals each version has. There are fewer days from 1970 to 2149. */
export const sealsPerVersion = 65_536;

/** The seal of a day for a version. Seals are unique, because versions are. */
export const sealOf = (version: number, day: Day): number => version * sealsPerVersion + toDayNumber(day);

export const versionOf = (seal: number): number => Math.floor(seal / sealsPerVersion);

/** SQL for `sealOf` of the column `day`. Needs the parameter `seal_version`. */
export const sealColumn = `{seal_version:UInt64} * ${sealsPerVersion} + toUInt16(day)`;
