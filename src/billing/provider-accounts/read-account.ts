import { addDays, type Day, earlierOf, laterOf, type Period } from '../../lib/days.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { findRow } from '../../storage/control/control-store.ts';
import { LeaseLost } from '../../storage/control/lease.ts';
import type { ProviderAccountRow } from '../../storage/control/schema/billing-rows.ts';
import { type LastRead, parseReadThrough, type ReadThrough } from './accounts.ts';
import type { Part } from './apis/part.ts';
import { type AskOptions, ProviderFault, providerApis } from './ask.ts';
import { parseNames, resolverOf } from './names.ts';
import { type ReadOptions, readSpan, type SpanRead } from './read-span.ts';
import { removeAccount, type StoreSources, storeSpan, withdrawSome } from './store-span.ts';

/** For how many days after a day the provider may still change its figures. */
const settlesAfterDays = 7;

export interface ReadAccountOptions extends StoreSources, Pick<AskOptions, 'urls' | 'signal' | 'resolve'> {
  readonly box: SecretBox | undefined;
}

/** How far a read has come: after a fault, the next attempt goes on from there. */
export interface ReadProgress {
  readonly beganAt: number;
  /** The last day of each part that is stored. */
  readonly soFar: Record<string, Day>;
  readonly read: { -readonly [Field in keyof LastRead]: LastRead[Field] };
}

export function beginRead(beganAt: number): ReadProgress {
  const today = new Date(beganAt).toISOString().slice(0, 10);
  const none = { entries: 0, calls: 0, entries_changed: 0, calls_changed: 0 };
  return { beganAt, soFar: {}, read: { date_from: today, date_to: today, ...none } };
}

/**
 * Reads all that is not settled of an account, part by part and from the oldest day on, but for what the read has
 * read already. While the provider wants no requests, calls are taken back all the same.
 * @throws ProviderFault; AccountChanged; LeaseLost; Problem `unavailable`
 */
export async function readAccount(
  account: ProviderAccountRow,
  options: ReadAccountOptions,
  progress = beginRead(options.clock()),
): Promise<LastRead | 'removed' | 'waiting'> {
  const { clock, control, box, lease } = options;
  const project = await findRow(control, 'projects', { id: account.project_id });
  const frozenBefore = project?.frozen_before ?? '';
  if (account.deleted_at !== null || account.mode === 'reconcile') {
    while ((await withdrawSome(options, account, frozenBefore)) > 0);
    if (account.deleted_at !== null) {
      await removeAccount(options, account);
      return 'removed';
    }
  }
  if (account.not_before > clock()) return 'waiting';
  const key = box?.open(account.secret, account.id);
  if (key === undefined) {
    throw new ProviderFault('The key cannot be decrypted: the key of secrets has changed. Give the key again.');
  }
  const isMeter = account.mode === 'meter';
  const today = new Date(clock()).toISOString().slice(0, 10);
  const readOptions = {
    ...options,
    ...{ kind: account.kind, key, accountId: account.id },
    nameOf: isMeter ? resolverOf(parseNames(account.names)) : undefined,
    onPage: () => {
      if (!lease.isHeld) throw new LeaseLost('Another process has taken the lease');
    },
  };
  let through = parseReadThrough(account.read_through);
  const { soFar, read: sums } = progress;
  sums.date_to = today;
  for (const part of providerApis[account.kind].parts) {
    if (part.costs === undefined && !isMeter) continue;
    // Calls of frozen days never change, so they are not read.
    const since = isMeter && part.usage ? laterOf(account.since, frozenBefore) : account.since;
    for (const span of spansOf(part, since, soFar[part.name] ?? through[part.name], today)) {
      const read = await readIfThere(part, span, readOptions);
      if (read === undefined) {
        soFar[part.name] = today;
        break;
      }
      const settled = settle(through, part, span, today);
      const changed = await storeSpan(options, account, { part, span, settled }, read);
      through = settled;
      soFar[part.name] = span.dateTo;
      sums.date_from = earlierOf(sums.date_from, span.dateFrom);
      sums.entries += read.entries.length;
      sums.calls += read.calls.length;
      sums.entries_changed += changed.entries;
      sums.calls_changed += changed.calls;
    }
  }
  return sums;
}

/** Undefined where the account lacks the part. */
async function readIfThere(part: Part, span: Period, options: ReadOptions): Promise<SpanRead | undefined> {
  try {
    return await readSpan(part, span, options);
  } catch (error) {
    const status = error instanceof ProviderFault ? error.status : undefined;
    if (part.isOptional && (status === 403 || status === 404)) return undefined;
    throw error;
  }
}

/** The days to read, in the spans of one request. */
function spansOf({ days, reach }: Part, since: Day, through: Day | undefined, today: Day): Period[] {
  const earliest = reach === undefined ? since : laterOf(since, addDays(today, -reach.first));
  const from = through === undefined ? earliest : laterOf(earliest, addDays(through, 1));
  const last = addDays(today, -(reach?.last ?? 0));
  const spans: Period[] = [];
  for (let day = from; day <= last; day = addDays(day, days)) {
    spans.push({ dateFrom: day, dateTo: earlierOf(addDays(day, days - 1), last) });
  }
  return spans;
}

function settle(through: ReadThrough, { name }: Part, { dateTo }: Period, today: Day): ReadThrough {
  const settled = earlierOf(dateTo, addDays(today, -settlesAfterDays - 1));
  const before = through[name];
  return { ...through, [name]: before === undefined ? settled : laterOf(before, settled) };
}
