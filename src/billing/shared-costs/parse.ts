import { z } from 'zod';
import { dayField } from '../../lib/day-field.ts';
import { storableText, storableTextOrEmpty } from '../../lib/tag-map.ts';
import { filterValuesOf, tagFilterOf } from '../../reports/asking/body.ts';
import { type SharedCost, weights } from '../../reports/facts/shared-costs.ts';
import { amountField, entriesField, entryDaysChecks, externalIdField } from '../revenue/parse.ts';

/** The body of `POST /api/shared-costs/` (D31.1). */

export const exampleEntry = {
  external_id: 'gpu-1-2026-11',
  name: 'GPU server',
  amount: 1_800,
  date_from: '2026-11-01',
  date_to: '2026-11-30',
  allocate_by: 'tokens' as const,
  scope: { models: ['llama-3.3-70b'] },
};

const maxScopeValues = 1_000;
const scopeValue = storableTextOrEmpty(1_024);
const scopeFilter = filterValuesOf({ value: scopeValue, most: maxScopeValues }).optional();

const scopeField = z
  .strictObject({
    providers: scopeFilter.describe('Only calls of these providers.'),
    models: scopeFilter.describe('Only calls of these models.'),
    features: scopeFilter.describe('Only calls of these feature tags.'),
    tags: tagFilterOf(
      { key: storableText(128), value: scopeValue, most: maxScopeValues },
      { team: ['search'] },
    ).describe('Only calls that carry these tags: AND across keys, OR within the values of one.'),
  })
  .describe('The calls that share the amount: AND between filters, OR within one. Left out: all calls.');

const entry = z
  .strictObject({
    external_id: externalIdField,
    name: storableText(200).describe('A name for people.').meta({ example: exampleEntry.name }),
    amount: amountField('; negative for money that comes back.', exampleEntry.amount),
    date_from: dayField.describe('First day, inclusive, in the timezone of the project.'),
    date_to: dayField.optional().describe('Last day, inclusive; default: date_from.'),
    allocate_by: z.enum(weights).describe('The number in proportion to which calls share the amount of a day.'),
    scope: scopeField.optional(),
  })
  .check(...entryDaysChecks);

export const sharedCostsBody = z
  .strictObject({ entries: entriesField(entry) })
  .meta({ examples: [{ entries: [exampleEntry] }] });

export const toEntries = ({ entries }: z.output<typeof sharedCostsBody>): SharedCost[] =>
  entries.map(({ scope: { tags, ...scope } = {}, ...one }) => ({
    externalId: one.external_id,
    name: one.name,
    amount: one.amount,
    dateFrom: one.date_from,
    dateTo: one.date_to ?? one.date_from,
    allocateBy: one.allocate_by,
    scope: {
      ...(scope.providers && { providers: scope.providers }),
      ...(scope.models && { models: scope.models }),
      ...(scope.features && { features: scope.features }),
      ...(tags && { tags: [...tags] }),
    },
  }));
