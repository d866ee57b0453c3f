import { SpendingMemory } from '../alerting/budgets/spending-memory.ts';
import { AnswerCache } from '../reports/asking/answer-cache.ts';
import type { Assembly } from './assembly.ts';
import type { Foundation } from './foundation.ts';

/** What answers keep in memory: rows of sealed days, and the spending on budgets. */
export interface Memory {
  readonly answerCache: AnswerCache;
  readonly spending: SpendingMemory;
  close(): Promise<void>;
}

/** Opens the memory that answers share. */
export function openMemory({ config, stores, clock, logger }: Foundation, assembly: Assembly): Memory {
  const { questions: store, control, engine } = stores;
  const answerCache = new AnswerCache(store);
  const spending = new SpendingMemory({
    store,
    answerCache,
    control,
    clock,
    logger,
    progress: assembly.progress,
    signalBus: assembly.signalBus,
    isAlone: engine !== undefined && config.postgresUrl === undefined,
  });
  return { answerCache, spending, close: () => spending.close() };
}
