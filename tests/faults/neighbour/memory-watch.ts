// What service and engine have in memory, read a few times a second.
import { readFileSync } from 'node:fs';
import type { Service } from '../../support/service.ts';

const everyMs = 250;

/** The most that each has had, in MiB. */
export interface Memory {
  readonly service: number;
  readonly engine: number;
}

export class MemoryWatch {
  readonly #service: Service;
  readonly #enginePid: number;
  readonly #timer: NodeJS.Timeout;
  #most: Memory = { service: 0, engine: 0 };

  constructor(service: Service) {
    this.#service = service;
    const [engine] = service.childProcesses();
    if (engine === undefined) throw new Error('the service has no engine');
    this.#enginePid = engine;
    this.#timer = setInterval(() => this.#look(), everyMs);
  }

  /** The most since it was asked last. */
  takeMost(): Memory {
    this.#look();
    const most = this.#most;
    this.#most = { service: 0, engine: 0 };
    return most;
  }

  /** Whether service and engine are the processes that they were at the beginning. */
  isUnbroken(): boolean {
    return this.#service.childProcesses().includes(this.#enginePid) && residentMiB(this.#service.pid) > 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#most = {
      service: Math.max(this.#most.service, residentMiB(this.#service.pid)),
      engine: Math.max(this.#most.engine, residentMiB(this.#enginePid)),
    };
  }
}

function residentMiB(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
