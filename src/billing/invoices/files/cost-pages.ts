import type { ReadValue } from '../../../ingest/imports/json-values.ts';
import { earliestDay, latestDay } from '../../../lib/day-field.ts';
import { type Day, toDay } from '../../../lib/days.ts';
import { isJsonObject, type JsonObject, ownObjects } from '../../../lib/json-object.ts';
import { formatDecimal, parseDecimal, toMoney } from '../../../lib/money.ts';
import { uuidOf } from '../../../lib/uuid-of.ts';
import type { InvoiceWire } from '../parse.ts';
import type { FileEntries, FileEntry, FileFault } from './file-entries.ts';

/** Its amount and purpose, and the values that tell it from other results of its bucket. */
export interface CostResult {
  /** USD, as decimal text. */
  readonly amount: string;
  readonly model: string | undefined;
  readonly description: string | undefined;
  readonly identity: readonly (string | null)[];
}

/** A provider's costs API, in buckets of one or more days. */
export interface CostApi {
  /** Begins every external id. */
  readonly name: string;
  readonly provider: string;
  /** Which answers to save, for the message about a file without any. */
  readonly hint: string;
  /** When a bucket begins and ends, in milliseconds since 1970. */
  readonly spanOf: (bucket: JsonObject) => { readonly from: number; readonly to: number } | undefined;
  /** @throws CostFault when the result can't be read */
  readonly read: (result: JsonObject) => CostResult;
}

/** What is wrong with a result. */
class CostFault extends Error {
  override readonly name = 'CostFault';
}

const dayMs = 86_400_000;

/** Reads pages of costs. A bucket that several pages hold counts once. */
export async function readCostPages(
  api: CostApi,
  values: AsyncIterable<ReadValue>,
): Promise<FileEntries & { readonly isIncomplete: boolean }> {
  const entries = new Map<string, FileEntry>();
  const faults: FileFault[] = [];
  let isIncomplete = false;
  for await (const read of values) {
    const { line } = read;
    if ('fault' in read) {
      faults.push({ line, message: read.fault });
      continue;
    }
    const page = read.value;
    if (!isJsonObject(page) || !Array.isArray(page.data)) {
      faults.push({ line, message: `is no page of costs: ${api.hint}` });
      continue;
    }
    // The next page, if it is in the file, follows.
    isIncomplete = page.has_more === true;
    for (const bucket of ownObjects(page, 'data')) {
      const span = api.spanOf(bucket);
      if (!span || !isTime(span.from) || !isTime(span.to) || !Array.isArray(bucket.results)) {
        faults.push({ line, message: 'has a bucket without a beginning, an end or results' });
        continue;
      }
      for (const entry of readBucket(api, ownObjects(bucket, 'results'), span, (message) =>
        faults.push({ line, message }),
      )) {
        entries.set(entry.external_id, { line, entry });
      }
    }
  }
  return { entries: [...entries.values()], faults, isIncomplete };
}

/** Whether a time is one of an invoice, in milliseconds since 1970. */
const isTime = (ms: number): boolean => ms >= Date.parse(earliestDay) && ms <= Date.parse(latestDay);

function readBucket(
  { name, provider, read }: CostApi,
  results: readonly JsonObject[],
  { from, to }: { readonly from: number; readonly to: number },
  onFault: (message: string) => void,
): InvoiceWire[] {
  const [first, last] = [toDay(Math.floor(from / dayMs)), lastDay(from, to)];
  const seen = new Map<string, number>();
  return results.flatMap((result) => {
    try {
      const { amount, model, description, identity } = read(result);
      // Results with equal identity are numbered.
      const key = JSON.stringify(identity);
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      return [
        {
          external_id: `${name}:${first}:${uuidOf(name, first, last, key, String(count))}`,
          provider,
          date_from: first,
          date_to: last,
          ...(model !== undefined && { model }),
          amount,
          kind: 'usage' as const,
          ...(description !== undefined && { description }),
        },
      ];
    } catch (error) {
      if (!(error instanceof CostFault)) throw error;
      onFault(`has a result of ${first} that ${error.message}`);
      return [];
    }
  });
}

/** The end of a bucket is the beginning of the next. */
export const lastDay = (from: number, to: number): Day => toDay(Math.floor(Math.max(from, to - 1) / dayMs));

/** USD as text with at most 12 fractional digits, rounded half-even. @throws CostFault */
export function readAmount(value: unknown, currency: unknown, { inCents }: { readonly inCents: boolean }): string {
  if (typeof currency !== 'string' || currency.toLowerCase() !== 'usd') {
    const named = typeof currency === 'string' ? currency : 'no currency';
    throw new CostFault(`is in ${named}: amounts must be in USD`);
  }
  const decimal = typeof value === 'number' || typeof value === 'string' ? parseDecimal(value) : null;
  if (!decimal) throw new CostFault('has no amount');
  const dollars = inCents ? { mantissa: decimal.mantissa, scale: decimal.scale + 2 } : decimal;
  return formatDecimal({ mantissa: toMoney(dollars), scale: 12 });
}

export const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
