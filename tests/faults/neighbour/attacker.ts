// A process that attacks, so that its work does not delay the clock of the watched project.
import { existsSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { attacks } from './attacks/index.ts';
import { type Access, type Ledger, Target } from './target.ts';

export interface Order {
  readonly attack: string;
  readonly access: Access;
  readonly seconds: number;
}

const ofSession = '/proc/self/autogroup';

/** What an attacker may take to settle once its connections are cut off, in milliseconds. */
const settleMs = 3_000;

async function attackAs({ attack: name, access, seconds }: Order): Promise<Ledger> {
  const attack = attacks.find((one) => one.name === name);
  if (attack === undefined) throw new Error(`there is no attack ${name}`);
  const target = new Target(access, seconds);
  const attacking = attack.run(target);
  await pause(1_000 * seconds);
  target.end();
  await Promise.race([attacking, pause(settleMs)]);
  return target.ledger;
}

process.once('message', (order: Order) => {
  // A hostile client has a machine of its own: here it must not take the processor from those that it is judged by.
  setPriority(constants.priority.PRIORITY_LOW);
  // Linux weighs sessions first, and a process within its own.
  if (existsSync(ofSession)) writeFileSync(ofSession, String(constants.priority.PRIORITY_LOW));
  void attackAs(order).then((ledger) => process.send?.(ledger, () => process.exit(0)));
});
