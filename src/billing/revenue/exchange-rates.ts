import { z } from 'zod';
import { registerDeletion } from '../../accounts/deletion.ts';
import { projectOf } from '../../accounts/guard.ts';
import { dayField } from '../../lib/day-field.ts';
import { decimalField } from '../../lib/decimal-field.ts';
import type { App } from '../../lib/http/app.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage, pageAnswer, pageQueryFields } from '../../lib/http/page-envelope.ts';
import { divideToNumber, formatDecimal, parseDecimal } from '../../lib/money.ts';
import { eitherOneOrList } from '../../lib/unique-list.ts';
import { type ControlSources, deleteRows, putRows, withProjectLock } from '../../storage/control/control-store.ts';

const tags = ['Stripe'];
const maxRates = 1_000;
const exampleRate = { currency: 'EUR', day: '2026-11-01', usd: 1.0875 };

const currencyField = z
  .string()
  .regex(/^[A-Za-z]{3}$/, { error: 'must be a currency of three letters, such as EUR' })
  .transform((currency) => currency.toUpperCase())
  .refine((currency) => currency !== 'USD', { error: 'must not be USD, in which everything is counted' })
  .describe('ISO 4217, such as EUR.')
  .meta({ examples: [exampleRate.currency] });

const rateFields = z.strictObject({
  currency: currencyField,
  day: dayField.describe('The rate applies from this day on, until that of the next rate.'),
  usd: decimalField({ least: 0n, isAboveLeast: true, most: 1_000_000n, maxFractionalDigits: 12 })
    .describe('What one unit is worth in USD, with at most 12 fractional digits.')
    .meta({ example: exampleRate.usd }),
});

const storedRate = z.object({
  currency: z.string(),
  day: z.string().meta({ format: 'date' }),
  usd: z.number().describe('What one unit is worth in USD.'),
});

const keyOf = ({ currency, day }: Record<string, unknown>): string | undefined =>
  typeof currency === 'string' && typeof day === 'string' ? `${currency.toUpperCase()} ${day}` : undefined;

const ratesBody = eitherOneOrList(rateFields, {
  ...{ list: 'rates', nouns: ['entry', 'entries'], most: maxRates },
  id: 'day',
  keyOf,
}).meta({
  examples: [exampleRate, { rates: [exampleRate] }],
});

const listQuery = z.strictObject({
  currency: currencyField.optional().describe('Only the rates of this currency.'),
  ...pageQueryFields,
});

/** `GET/PUT /api/exchange-rates/`, `DELETE /api/exchange-rates/{currency}/{day}/` (D17.3). */
export function registerExchangeRates(app: App, { control, clock }: ControlSources): void {
  app.get('/api/exchange-rates/', {
    config: { access: 'read' },
    schema: {
      summary: 'The exchange rates',
      description: 'Sorted by currency and day.',
      tags,
      querystring: listQuery,
      response: { 200: pageAnswer('rates', storedRate, 'A page of rates.', exampleRate) },
    },
    handler: async (request) => {
      const { currency, limit, cursor } = request.query;
      const projectId = projectOf(request).id;
      const question = ['exchange rates', projectId, currency];
      const after = cursor === undefined ? undefined : openCursor(question, cursor, z.tuple([currencyField, dayField]));
      let query = control.selectFrom('exchange_rates').selectAll().where('project_id', '=', projectId);
      if (currency !== undefined) query = query.where('currency', '=', currency);
      if (after !== undefined) {
        query = query.where((row) => row(row.refTuple('currency', 'day'), '>', row.tuple(after[0], after[1])));
      }
      const found = await query
        .orderBy('currency')
        .orderBy('day')
        .limit(limit + 1)
        .execute();
      const { rows, end } = cutPage(question, found, limit, (row) => [row.currency, row.day]);
      return { rates: rows.map((row) => ({ currency: row.currency, day: row.day, usd: toNumber(row.usd) })), ...end };
    },
  });
  app.put('/api/exchange-rates/', {
    config: { access: 'write' },
    schema: {
      summary: 'Set exchange rates',
      description:
        'One rate, or a list of rates, all or none. Revenue in a currency is converted by the last rate on or before the day of its invoice; a new rate also applies to the past.',
      tags,
      body: ratesBody,
      response: {
        200: z
          .object({ ok: z.literal(true), rates_stored: z.number().int() })
          .meta({ description: 'All rates are set.', examples: [{ ok: true, rates_stored: 1 }] }),
      },
    },
    handler: async (request) => {
      const rates = request.body;
      const projectId = projectOf(request).id;
      const now = clock();
      const rows = rates.map(({ currency, day, usd }) => ({
        ...{ project_id: projectId, currency, day },
        ...{ usd: formatDecimal(usd), updated_at: now },
      }));
      await withProjectLock(control, projectId, (transaction) =>
        putRows(transaction, 'exchange_rates', ['project_id', 'currency', 'day'], rows),
      );
      return { ok: true as const, rates_stored: rates.length };
    },
  });
  registerDeletion(app, '/api/exchange-rates/:currency/:day/', {
    summary: 'Delete an exchange rate',
    description: 'The previous rate applies instead, also to the past.',
    tags,
    params: z.object({ currency: currencyField, day: dayField.describe('The day of the rate.') }),
    done: 'The rate is deleted.',
    missing: 'There is no rate of this currency and day.',
    run: (key, projectId) => deleteRows(control, 'exchange_rates', { project_id: projectId, ...key }),
  });
}

function toNumber(text: string): number {
  const rate = parseDecimal(text);
  return rate === null ? Number.NaN : divideToNumber(rate.mantissa, 10n ** BigInt(rate.scale));
}
