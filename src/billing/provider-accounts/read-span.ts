import { hash } from 'node:crypto';
import { toEvent } from '../../ingest/gateways/outcome-event.ts';
import type { ReadValue } from '../../ingest/imports/json-values.ts';
import { chunksOf } from '../../lib/chunks.ts';
import type { Day, Period } from '../../lib/days.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { uuidOf } from '../../lib/uuid-of.ts';
import type { InvoiceEntry } from '../invoices/entry.ts';
import { readCostPages } from '../invoices/files/cost-pages.ts';
import { type InvoiceWire, invoicesBody, toEntries } from '../invoices/parse.ts';
import { maxEntries } from '../revenue/parse.ts';
import { PageFault, type Part, type ReportedUsage, type UsedBy } from './apis/part.ts';
import { type AskOptions, askPages, ProviderFault } from './ask.ts';
import type { NamedBy } from './names.ts';

/** A call that usage becomes, as the event to post. */
export interface MeteredCall {
  readonly id: string;
  readonly day: Day;
  readonly event: JsonObject;
  readonly hash: string;
}

/** All that a provider says of a part and days: its last word. */
export interface SpanRead {
  readonly entries: readonly InvoiceEntry[];
  readonly calls: readonly MeteredCall[];
}

export interface ReadOptions extends AskOptions {
  readonly accountId: string;
  /** Undefined when usage becomes no calls. */
  readonly nameOf: ((by: UsedBy) => NamedBy) | undefined;
  /** Called before each page. */
  readonly onPage: () => void;
}

/** Reads a part's days completely, or fails. @throws ProviderFault; the reason of the signal */
export async function readSpan(part: Part, span: Period, options: ReadOptions): Promise<SpanRead> {
  const pages: JsonObject[] = [];
  for await (const page of askPages(part, span, options)) {
    options.onPage();
    pages.push(page);
  }
  const isWithin = (day: Day) => day >= span.dateFrom && day <= span.dateTo;
  try {
    const entries = await readEntries(part, pages, options);
    const { nameOf } = options;
    const usages = nameOf === undefined ? [] : pages.flatMap((page) => part.usage?.(page) ?? []);
    return {
      entries: entries.filter(({ dateFrom, dateTo }) => isWithin(dateFrom) && isWithin(dateTo)),
      calls: nameOf
        ? toCalls(
            usages.filter(({ day }) => isWithin(day)),
            part,
            options.accountId,
            nameOf,
          )
        : [],
    };
  } catch (cause) {
    if (!(cause instanceof PageFault)) throw cause;
    throw new ProviderFault(`${options.kind} answered a page of ${part.name} that ${cause.message}`, { cause });
  }
}

async function readEntries(
  { costs, name }: Part,
  pages: readonly JsonObject[],
  { accountId, kind }: ReadOptions,
): Promise<InvoiceEntry[]> {
  if (costs === undefined) return [];
  // Each account has ids of its own.
  const api = { ...costs.api, name: accountId };
  const { entries, faults } = await readCostPages(api, toValues(pages.map(costs.toPage)));
  const [fault] = faults;
  if (fault) throw new ProviderFault(`${kind} answered a page of ${name} that ${fault.message}`);
  return checkEntries(
    entries.map(({ entry }) => entry),
    `${kind} answered a page of ${name} with an entry`,
  );
}

async function* toValues(pages: readonly JsonObject[]): AsyncGenerator<ReadValue> {
  for (const value of pages) yield { line: 1, value };
}

/** By the rules of entries that are posted. */
function checkEntries(wire: readonly InvoiceWire[], what: string): InvoiceEntry[] {
  const entries: InvoiceEntry[] = [];
  for (const chunk of chunksOf(wire, maxEntries)) {
    const checked = invoicesBody.safeParse({ entries: chunk });
    if (checked.success) entries.push(...toEntries(checked.data));
    else {
      const [issue] = checked.error.issues;
      throw new ProviderFault(`${what} whose ${String(issue?.path.at(-1))} ${issue?.message}`);
    }
  }
  return entries;
}

function toCalls(
  usages: readonly ReportedUsage[],
  part: Part,
  accountId: string,
  nameOf: (by: UsedBy) => NamedBy,
): MeteredCall[] {
  const seen = new Map<string, number>();
  return usages.map(({ day, by, outcome, feature }) => {
    const named = nameOf(by);
    // Equal groups of a bucket are numbered.
    const count = (seen.get(outcome.id) ?? 0) + 1;
    seen.set(outcome.id, count);
    // The tags of events with one id merge, so other names make another id.
    const dimensions = [named.customer, named.user ?? by.user, named.feature ?? feature];
    const identity = [part.name, outcome.id, String(count), ...dimensions.map((text) => text ?? '')];
    const id = uuidOf('provider account', accountId, ...identity);
    const [customer, user, feat] = dimensions;
    const tags = [
      ...(['customer', 'user', 'feature'] as const).map((tag, at) => [tag, [customer, user, feat][at]] as const),
      ...([
        ['key', by.key],
        ['workspace', by.workspace],
        ['provider_user', by.user],
      ] as const),
      ...outcome.tags.filter(([tag]) => tag !== 'user'),
    ];
    const { origin: _, ...event } = toEvent({ ...outcome, id, tags }, false);
    const whole = { ...event, withdrawn: false };
    return { id, day, event: whole, hash: hash('sha256', JSON.stringify(whole)).slice(0, 32) };
  });
}
