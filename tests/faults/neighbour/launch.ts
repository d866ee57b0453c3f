import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Order } from './attacker.ts';
import type { Ledger } from './target.ts';

const program = fileURLToPath(new URL('./attacker.ts', import.meta.url));

/** Attacks in a process of its own, for as long as the order says. */
export async function attack(order: Order): Promise<Ledger> {
  // Detached, it has a session of its own, which has a priority of its own.
  const child = fork(program, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  try {
    child.send(order);
    const [told] = await Promise.race([once(child, 'message'), once(child, 'exit').then(fail)]);
    return told as Ledger;
  } finally {
    child.kill('SIGKILL');
  }
}

function fail([code, signal]: unknown[]): never {
  throw new Error(`the attacker ended by itself (${code ?? signal})`);
}
