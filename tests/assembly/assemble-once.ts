// A process of its own that assembles one batch and kills itself after a step: what a crash leaves behind is real.
// Started by crash.test.ts with its plan as the one argument; it ends by the kill or by an error.

import { Projects } from '../../src/accounts/projects.ts';
import type { AssemblyStep } from '../../src/calls/assembly/batch.ts';
import { ReportKeys } from '../../src/calls/joins/report-keys.ts';
import { TouchedDays } from '../../src/calls/touched-days.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import { openControlStore } from '../../src/storage/control/control-store.ts';
import { Lease } from '../../src/storage/control/lease.ts';
import { assembleBatch } from './assemble-batch.ts';

export interface Plan {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly dataDir: string;
  readonly postgresUrl: string | undefined;
  readonly now: number;
  readonly holder: string;
  /** The process dies after this step. */
  readonly step: AssemblyStep;
}

const plan = JSON.parse(process.argv[2] ?? '') as Plan;
const { url, username, password, dataDir, postgresUrl, holder } = plan;
const clock = () => plan.now;
const store = new AnalyticStore({ url, credentials: { username, password } });
const control = await openControlStore({ dataDir, postgresUrl, onError: () => undefined });
const lease = new Lease({ control, clock, holder, exclusive: false });
if (!(await lease.acquire())) throw new Error('somebody else holds the lease');

const result = await assembleBatch({
  store,
  control,
  lease,
  projects: new Projects(control, clock),
  priceBooks: new PriceBooks(control, clock),
  reportKeys: new ReportKeys(store, lease),
  maxEvents: 20_000,
  touchedDays: new TouchedDays(control, clock),
  afterStep: async (step) => {
    if (step !== plan.step) return;
    process.kill(process.pid, 'SIGKILL');
    // The signal may take a moment; nothing more is done meanwhile.
    await new Promise(() => setInterval(() => undefined, 1_000));
  },
});
throw new Error(`the batch went through: ${JSON.stringify(result)}`);
