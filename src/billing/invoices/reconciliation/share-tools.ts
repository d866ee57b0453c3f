import { toDayNumber } from '../../../lib/days.ts';
import type { Money } from '../../../lib/money.ts';
import type { Slices } from '../../../lib/slices.ts';
import type { InvoiceEntry } from '../entry.ts';
import type { DayRange, Line } from './line.ts';
import { type LineName, providerKey } from './match-names.ts';
import { hasUnits } from './usage.ts';

interface Shared {
  readonly entries: readonly InvoiceEntry[];
  readonly lines: readonly Line[];
  readonly range: DayRange;
  readonly lineOf: (entry: InvoiceEntry) => LineName;
}

/**
 * Distributes a provider's charges for tools, such as searches, that name no model. The cost of a call includes its
 * tools, so lines of models that used tools are charged less than their calls cost. The entries without a model are
 * spread over these lines in proportion to their missing amounts, and at most up to them. If there is nothing to
 * distribute, the entries are returned unchanged.
 */
export function* shareTools({ entries, lines, range, lineOf }: Shared): Slices<readonly InvoiceEntry[]> {
  const toolLines = new Map(
    lines.filter(({ model, callModels }) => model === '' && callModels.length === 0).map((line) => [line.name, line]),
  );
  const linesOf = Map.groupBy(lines, ({ provider }) => providerKey(provider));
  let isShared = false;
  const shared: InvoiceEntry[] = [];
  for (const entry of entries) {
    const isForTools = entry.kind === 'usage' && entry.model === undefined && entry.amount > 0n;
    const own = isForTools ? toolLines.get(lineOf(entry)) : undefined;
    if (!own) {
      shared.push(entry);
      continue;
    }
    const ofProvider = linesOf.get(providerKey(own.provider)) ?? [];
    const block = findBlock(ofProvider, {
      from: toDayNumber(entry.dateFrom) - range.from,
      to: toDayNumber(entry.dateTo) - range.from,
    });
    const parts = shareOut(entry, own, { ofProvider, block });
    yield;
    isShared ||= parts.length > 0;
    const left = entry.amount - parts.reduce((sum, { amount }) => sum + amount, 0n);
    shared.push(...parts, ...(left === 0n ? [] : [{ ...entry, amount: left }]));
  }
  return isShared ? shared : entries;
}

interface Place {
  readonly ofProvider: readonly Line[];
  readonly block: DayRange;
}

function shareOut(entry: InvoiceEntry, own: Line, { ofProvider, block }: Place): InvoiceEntry[] {
  const lacking = ofProvider.flatMap((line) => {
    const [model] = line.callModels;
    if (line === own || model === undefined || !isCharged(line, block)) return [];
    const days = line.days.slice(Math.max(block.from, 0), block.to + 1);
    if (!days.some(({ used }) => hasUnits(used))) return [];
    const lack = days.reduce((sum, { used, charged }) => sum + used.cost - charged, 0n);
    return lack > 0n ? [{ model, lack }] : [];
  });
  const lack = lacking.reduce((sum, one) => sum + one.lack, 0n);
  const charged = sumCharged(own, block);
  if (lack === 0n || charged <= 0n) return [];
  const isAll = charged <= lack;
  let left = entry.amount;
  return lacking.map(({ model, lack: ofLine }, index) => {
    const isLast = isAll && index === lacking.length - 1;
    const amount = isLast ? left : (entry.amount * ofLine) / (isAll ? lack : charged);
    left -= amount;
    return { ...entry, model, amount };
  });
}

const sumCharged = ({ days }: Line, { from, to }: DayRange): Money =>
  days.slice(Math.max(from, 0), to + 1).reduce((sum, { charged }) => sum + charged, 0n);

const isCharged = ({ segments }: Line, { from, to }: DayRange): boolean =>
  segments.some((segment) => segment.entries > 0 && segment.from <= to && segment.to >= from);

/** These days, widened until no entry of the provider is partly outside them. */
function findBlock(lines: readonly Line[], days: DayRange): DayRange {
  let { from, to } = days;
  for (let isWider = true; isWider; ) {
    isWider = false;
    for (const { segments } of lines) {
      for (const segment of segments) {
        if (segment.entries === 0 || segment.from > to || segment.to < from) continue;
        if (segment.from >= from && segment.to <= to) continue;
        from = Math.min(from, segment.from);
        to = Math.max(to, segment.to);
        isWider = true;
      }
    }
  }
  return { from, to };
}
