import { toDay } from '../../../lib/days.ts';
import { decimal, formatMoney, parseDecimal, toMoney, toScaled } from '../../../lib/money.ts';
import { uuidOf } from '../../../lib/uuid-of.ts';
import type { InvoiceKind } from '../entry.ts';
import { providerOfService } from './ai-services.ts';
import { lastDay } from './cost-pages.ts';
import type { FileEntry } from './file-entries.ts';
import type { FocusCells } from './focus-rows.ts';

/** Rows are added up exactly: no cloud writes amounts of more digits after the point. */
const sumScale = 30;

const kinds: Readonly<Record<string, InvoiceKind>> = {
  usage: 'usage',
  credit: 'credit',
  tax: 'tax',
  purchase: 'other',
  adjustment: 'other',
};

/** What an entry adds up. */
interface Sum {
  readonly line: number;
  readonly provider: string;
  readonly from: number;
  readonly to: number;
  readonly kind: InvoiceKind;
  readonly model: string | undefined;
  readonly description: string;
  amount: bigint;
}

const dayMs = 86_400_000;

/**
 * Adds up what the rows of FOCUS 1.0 to 1.4 (https://focus.finops.org/focus-specification/) bill for model calls: by day,
 * account, service and SKU. The rows of a day may be in several files, so all files of a bill are added up together.
 */
export class FocusBill {
  readonly #sums = new Map<string, Sum>();
  /** How many rows are of other services. */
  others = 0;

  /** Adds a row. Returns what is wrong with it. */
  add(cells: FocusCells, line: number): string | undefined {
    const service = cells.ServiceName ?? '';
    const provider = providerOfService(service, cells.ServiceProviderName ?? cells.ProviderName ?? '');
    if (provider === undefined) {
      this.others += 1;
      return undefined;
    }
    const amount = parseDecimal(cells.BilledCost ?? '');
    if (amount === null) return 'has no BilledCost';
    if (cells.BillingCurrency?.toUpperCase() !== 'USD') {
      return `is in ${cells.BillingCurrency ?? 'no currency'}: amounts must be in USD`;
    }
    const [from, to] = [readTime(cells.ChargePeriodStart), readTime(cells.ChargePeriodEnd)];
    if (from === undefined || to === undefined) return 'has no ChargePeriodStart or ChargePeriodEnd';
    const kind = kinds[cells.ChargeCategory?.toLowerCase() ?? ''];
    if (kind === undefined) return `has the ChargeCategory ${cells.ChargeCategory ?? '(none)'}, which FOCUS lacks`;
    const days = [Math.floor(from / dayMs), Math.floor(Math.max(from, to - 1) / dayMs)];
    const sku = cells.SkuMeter ?? cells.ChargeDescription ?? cells.SkuId ?? '';
    const model = modelOfResource(cells.ResourceId);
    const key = JSON.stringify([
      ...days,
      provider,
      kind,
      ...[cells.BillingAccountId, cells.SubAccountId, service, cells.SkuId, sku, model].map((part) => part ?? null),
    ]);
    const sum = this.#sums.get(key) ?? {
      ...{ line, provider, from, to, kind, model, amount: 0n },
      description: [service, sku].filter((part) => part !== '').join(': '),
    };
    sum.amount += toScaled(amount, sumScale);
    this.#sums.set(key, sum);
    return undefined;
  }

  /** The entries, whose ids stay the same when the files are exported again. */
  get entries(): FileEntry[] {
    return [...this.#sums].map(([key, { line, provider, from, to, kind, model, description, amount }]) => {
      const day = toDay(Math.floor(from / dayMs));
      return {
        line,
        entry: {
          external_id: `focus:${day}:${uuidOf('focus', key, '')}`,
          provider,
          date_from: day,
          date_to: lastDay(from, to),
          ...(model !== undefined && { model }),
          amount: formatMoney(toMoney(decimal(amount, sumScale))),
          // What takes a credit back adds to the bill.
          kind: kind === 'credit' && amount > 0n ? ('other' as const) : kind,
          description,
        },
      };
    });
  }
}

/** The model in the name of what was called: Bedrock's foundation models have their ids there. */
const modelOfResource = (resource: string | undefined): string | undefined =>
  /^arn:aws[\w-]*:bedrock:[^/]*(?:foundation-model|inference-profile)\/([\w.:-]+)$/.exec(resource ?? '')?.[1];

/** In milliseconds since 1970. FOCUS has times in UTC; some files leave their zone out. */
function readTime(text = ''): number | undefined {
  const [, day, time = '00:00:00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(?:Z| ?UTC|\+00:?00)?$/.exec(text) ?? [];
  const read = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return Number.isNaN(read) ? undefined : read;
}
