import { z } from 'zod';
import type { App } from '../http/app.ts';
import { problemWith } from '../http/problem-schema.ts';
import { dayField } from '../lib/day-field.ts';
import { decimalField } from '../lib/decimal-field.ts';
import { formatDecimal } from '../lib/money.ts';
import { Problem } from '../lib/problem.ts';
import { pathId, storableText } from '../lib/tag-map.ts';
import { timeField, toTime } from '../lib/times.ts';
import { termNames } from '../lib/units.ts';
import { projectOf } from '../projects/guard.ts';
import { overrideUnits, type PriceOverride } from './overrides.ts';
import { maxOverrides, type PriceBooks } from './price-books.ts';
import { maxRate } from './rates.ts';

/** A rate in USD, stored as exact decimal text (D5.3). */
const rate = decimalField({ least: 0n, most: BigInt(maxRate), maxFractionalDigits: 6 })
  .transform(formatDecimal)
  .meta({ example: 2.5 });

const optionalRate = rate.nullish().transform((value) => value ?? null);
const optionalName = (most: number) =>
  storableText(most)
    .nullish()
    .transform((value) => value ?? null);
/** A price of one can be a millionth of a rate per million. */
const unitRate = decimalField({ least: 0n, most: BigInt(maxRate), maxFractionalDigits: 12 })
  .transform(formatDecimal)
  .meta({ example: 0.01 });

const optionalDay = dayField.nullish().transform((value) => value ?? null);

const priceBody = z
  .strictObject({
    provider: optionalName(1_024).describe('Matches without regard to case. Default: every provider.'),
    model: storableText(1_024)
      .refine((name) => !name.slice(0, -1).includes('*'), { error: 'may contain * only at its end' })
      .describe('The name of a model, or a prefix of names when it ends in *.'),
    service_tier: optionalName(128).describe('The same as `terms.service_tier`.'),
    terms: z
      .partialRecord(z.enum(termNames), storableText(128))
      .nullish()
      .transform((value) => value ?? {})
      .describe('Only calls that name these terms, in upper or lower case.'),
    effective_from: optionalDay.describe('First day, inclusive, in the timezone of the project.'),
    effective_to: optionalDay.describe('Last day, inclusive.'),
    input_per_mtok: rate.describe('USD per million tokens.'),
    output_per_mtok: rate,
    cache_read_per_mtok: optionalRate,
    cache_write_per_mtok: optionalRate,
    input_audio_per_mtok: optionalRate,
    output_audio_per_mtok: optionalRate,
    reasoning_per_mtok: optionalRate,
    per_request: optionalRate.describe('USD per call.'),
    units: z
      .partialRecord(z.enum(overrideUnits), unitRate)
      .nullish()
      .transform((value) => value ?? {})
      .describe('USD per one of each unit. Default: the list price. The price of requests is `per_request`.'),
  })
  .refine(({ effective_from: from, effective_to: to }) => from === null || to === null || from <= to, {
    error: 'must not be after effective_to',
    path: ['effective_from'],
    params: { code: 'out_of_range' },
  })
  .refine(({ service_tier: tier, terms }) => tier === null || (terms.service_tier ?? tier) === tier, {
    error: 'must not differ from service_tier',
    path: ['terms', 'service_tier'],
    params: { code: 'invalid_value' },
  })
  .meta({ examples: [{ model: 'house-llm*', input_per_mtok: 0.5, output_per_mtok: 1.5 }] });

const price = z.object({
  id: z.string(),
  provider: z.string().nullable(),
  model: z.string(),
  service_tier: z.string().nullable().describe('That of `terms`.'),
  terms: z.partialRecord(z.enum(termNames), z.string()),
  effective_from: z.string().nullable(),
  effective_to: z.string().nullable(),
  input_per_mtok: z.number(),
  output_per_mtok: z.number(),
  cache_read_per_mtok: z.number().nullable(),
  cache_write_per_mtok: z.number().nullable(),
  input_audio_per_mtok: z.number().nullable(),
  output_audio_per_mtok: z.number().nullable(),
  reasoning_per_mtok: z.number().nullable(),
  per_request: z.number().nullable(),
  units: z.partialRecord(z.enum(overrideUnits), z.number()).describe('USD per one.'),
  created_at: timeField,
});
const examplePrice = {
  id: 'prc_01M7Y940HM46W4C89N0CDQSXWE',
  provider: null,
  model: 'house-llm*',
  service_tier: null,
  terms: {},
  effective_from: null,
  effective_to: null,
  input_per_mtok: 0.5,
  output_per_mtok: 1.5,
  cache_read_per_mtok: null,
  cache_write_per_mtok: null,
  input_audio_per_mtok: null,
  output_audio_per_mtok: null,
  reasoning_per_mtok: null,
  per_request: null,
  units: {},
  created_at: '2026-11-21T05:26:29.684Z',
};

/** `GET/POST /api/prices/`, `DELETE /api/prices/{id}/` (D2, D5.3). */
export function registerPrices(app: App, { priceBooks }: { readonly priceBooks: PriceBooks }): void {
  app.get(
    '/api/prices/',
    {
      config: { access: 'read' },
      schema: {
        summary: 'The price overrides in force',
        description:
          'Overrides take precedence over the catalogue. Calls that no override matches have the catalogue price.',
        tags: ['Prices'],
        response: {
          200: z
            .object({ prices: z.array(price) })
            .meta({ description: 'The overrides.', examples: [{ prices: [examplePrice] }] }),
        },
      },
    },
    async (request) => ({ prices: (await priceBooks.list(projectOf(request).id)).map(toWire) }),
  );
  app.post(
    '/api/prices/',
    {
      config: { access: 'write' },
      schema: {
        summary: 'Add a price override',
        description: 'Prices calls whose first outcome is received from now on; no past number changes (D5.5).',
        tags: ['Prices'],
        body: priceBody,
        response: {
          201: price.meta({ description: 'The override, in force.', examples: [examplePrice] }),
          409: problemWith().describe(`The project has ${maxOverrides} overrides.`),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const made = await priceBooks.add(projectOf(request).id, {
        provider: body.provider,
        model: body.model,
        terms: body.service_tier === null ? body.terms : { ...body.terms, service_tier: body.service_tier },
        effectiveFrom: body.effective_from,
        effectiveTo: body.effective_to,
        inputPerMtok: body.input_per_mtok,
        outputPerMtok: body.output_per_mtok,
        cacheReadPerMtok: body.cache_read_per_mtok,
        cacheWritePerMtok: body.cache_write_per_mtok,
        inputAudioPerMtok: body.input_audio_per_mtok,
        outputAudioPerMtok: body.output_audio_per_mtok,
        reasoningPerMtok: body.reasoning_per_mtok,
        perRequest: body.per_request,
        units: body.units,
      });
      if (!made) {
        throw new Problem('conflict', `A project has at most ${maxOverrides} price overrides; delete one first.`);
      }
      return reply.code(201).send(toWire(made));
    },
  );
  app.delete(
    '/api/prices/:id/',
    {
      config: { access: 'write' },
      schema: {
        summary: 'Delete a price override',
        description: 'Calls that it priced keep their costs.',
        tags: ['Prices'],
        params: z.object({ id: pathId.describe('The id of the override.').meta({ examples: [examplePrice.id] }) }),
        response: { 204: z.null().describe('Deleted.') },
      },
    },
    async (request, reply) => {
      if (!(await priceBooks.remove(projectOf(request).id, request.params.id))) {
        throw new Problem('not_found', 'This project has no price override with this id.');
      }
      return reply.code(204).send(null);
    },
  );
}

const toNumber = (text: string | null): number | null => (text === null ? null : Number(text));

const toWire = (override: PriceOverride) => ({
  id: override.id,
  provider: override.provider,
  model: override.model,
  service_tier: override.terms.service_tier ?? null,
  terms: override.terms,
  effective_from: override.effectiveFrom,
  effective_to: override.effectiveTo,
  input_per_mtok: Number(override.inputPerMtok),
  output_per_mtok: Number(override.outputPerMtok),
  cache_read_per_mtok: toNumber(override.cacheReadPerMtok),
  cache_write_per_mtok: toNumber(override.cacheWritePerMtok),
  input_audio_per_mtok: toNumber(override.inputAudioPerMtok),
  output_audio_per_mtok: toNumber(override.outputAudioPerMtok),
  reasoning_per_mtok: toNumber(override.reasoningPerMtok),
  per_request: toNumber(override.perRequest),
  units: Object.fromEntries(Object.entries(override.units).map(([unit, usd]) => [unit, Number(usd)])),
  created_at: toTime(override.createdAt),
});
