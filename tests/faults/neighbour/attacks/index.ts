// Every attack, in the order in which the long form goes through them.
import type { Attack } from '../attack.ts';
import { bodyAttacks } from './bodies.ts';
import { callerAttacks } from './callers.ts';
import { connectionAttacks } from './connections.ts';
import { factAttacks } from './facts.ts';
import { idAttacks } from './ids.ts';
import { questionAttacks } from './questions.ts';

export const attacks: readonly Attack[] = [
  ...idAttacks,
  ...bodyAttacks,
  ...connectionAttacks,
  ...questionAttacks,
  ...factAttacks,
  ...callerAttacks,
];
