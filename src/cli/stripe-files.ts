import { csvInvoice, isCsvInvoice } from '../billing/revenue/stripe/csv-invoice.ts';
import { readFile } from '../ingest/imports/read-file.ts';
import { CommandError } from './api.ts';

/** Reads objects of its API, lists of them, events, or the Dashboard's CSV export of invoices. */
export async function* readStripeFile(path: string): AsyncGenerator<unknown> {
  for await (const read of readFile(path, () => undefined)) {
    if ('fault' in read) throw new CommandError(`${path}:${read.line} ${read.fault}`);
    yield* unpack(read.value, `${path}:${read.line}`);
  }
}

function* unpack(value: unknown, place: string): Generator<unknown> {
  if (typeof value !== 'object' || value === null) throw new CommandError(`${place} is not a JSON object`);
  if ('object' in value && value.object === 'list' && 'data' in value && Array.isArray(value.data)) {
    for (const one of value.data) yield* unpack(one, place);
    return;
  }
  if (!isCsvInvoice(value)) return yield value;
  const { invoice, faults } = csvInvoice(value);
  if (invoice === undefined) throw new CommandError(`${place} ${faults.join('; ')}`);
  yield invoice;
}
