import { z } from 'zod';
import { dayOf } from '../../lib/days.ts';
import type { App } from '../../lib/http/app.ts';
import { Problem, toPointer } from '../../lib/problem.ts';
import { timeField, toTimeOrNull } from '../../lib/times.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';
import type { PriceBooks } from '../books/price-books.ts';
import type { Snapshot } from '../catalogue.ts';
import {
  CatalogueFetchError,
  download,
  fetchCatalogue,
  readCatalogue,
  readCatalogueInForce,
  storeCatalogueUpdate,
  summariseCatalogue,
} from '../catalogue-updates.ts';
import { ageOfList, oldListDays } from '../further-list.ts';
import { readListText } from '../lists/installed-lists.ts';
import { type ListInForce, storeList } from '../lists/lists-in-force.ts';
import type { RateChange } from './diff-rates.ts';
import { noteSeenCatalogue } from './newer-catalogue.ts';

export interface CatalogueUpdateRoutesOptions extends ControlSources {
  readonly priceBooks: PriceBooks;
  /** The addresses of newer data. */
  readonly urls: Readonly<Record<UpdatedList, string>>;
  /** Runs a change of list prices, and says what it does to the prices of models that were called in the last 30 days. */
  readonly findChanges: FindChanges;
}

type FindChanges = <Result>(change: () => Promise<Result>) => Promise<{
  readonly result: Result;
  readonly changes: readonly {
    readonly provider: string;
    readonly model: string;
    readonly rates: readonly RateChange[];
  }[];
}>;

/** The lists whose newer data can be fetched or given as a file. */
const updatedLists = ['genai-prices', 'litellm', 'models.dev'] as const;
type UpdatedList = (typeof updatedLists)[number];

/** Enough for any list: LiteLLM's file has some 4 MB. */
const maxFileBytes = 32 * 1_048_576;

const updateBody = z
  .strictObject({
    from: z.enum(updatedLists).default('genai-prices').describe('The list: the catalogue’s data, or a further list.'),
    file: z
      .unknown()
      .optional()
      .describe('The JSON that the project of the list publishes. Default: it is fetched from its address.'),
  })
  .nullish()
  .meta({ examples: [{ from: 'litellm' }] });

const listFields = z.object({
  list: z.string(),
  version: z.string().describe('A release, or the day of its data.'),
  date: z.string().describe('The day of its data.'),
  age_days: z.number().int().describe(`The days since then. A list of more than ${oldListDays} days is old.`),
  fetched_at: timeField.nullable().describe('Null for a list that came with Farthing.'),
});

const retryAfterSeconds = 60;

const catalogueFields = z.object({
  version: z
    .string()
    .describe('The version of the installed package; for fetched data followed by the first 12 digits of its hash.'),
  fetched_at: timeField
    .nullable()
    .describe('When the data was last fetched; null for the data of the installed package.'),
  providers: z.number().int(),
  models: z.number().int(),
  further_lists: z
    .array(listFields)
    .describe(
      'The lists that price models which the catalogue lacks, in this order; empty with `FARTHING_FURTHER_PRICES=off`.',
    ),
});

export type CatalogueWire = z.output<typeof catalogueFields>;

const updateFields = catalogueFields.extend({
  changed: z.boolean().describe('Whether the prices differ from those that were in force.'),
});

const changeFields = z.object({
  provider: z.string(),
  model: z.string(),
  rates: z.array(z.object({ rate: z.string(), before: z.number().nullable(), after: z.number().nullable() })),
});
const appliedFields = updateFields.extend({
  changes: z
    .array(changeFields)
    .describe('Models called in the last 30 days, in any project, whose list price has changed.'),
});

export type AppliedUpdate = z.output<typeof appliedFields>;

const exampleCatalogue = {
  version: '0.1.8+3d9e2505110d',
  fetched_at: '2026-11-21T07:31:12.040Z',
  providers: 36,
  models: 1_466,
  further_lists: [
    { list: 'llm-zoo', version: '1.37.0', date: '2026-09-23', age_days: 59, fetched_at: null },
    { list: 'litellm', version: '2026-11-21', date: '2026-11-21', age_days: 0, fetched_at: '2026-11-21T07:31:12.040Z' },
  ],
};

/** `GET`, `POST /admin/prices/update/` and `POST /admin/prices/look/` (D5.2). */
export function registerCatalogueUpdates(app: App, options: CatalogueUpdateRoutesOptions): void {
  const { control, priceBooks, clock, urls, findChanges } = options;
  const url = urls['genai-prices'];
  const describe = async (catalogue: Pick<Snapshot, 'data'>, fetchedAt: number | null) => ({
    ...toWire(catalogue, fetchedAt),
    further_lists: ((await priceBooks.furtherInForce())?.lists ?? []).map((list) => toList(list, clock())),
  });
  const config = { access: 'admin' } as const;
  const tags = ['Admin'];
  app.get('/admin/prices/update/', {
    config,
    schema: {
      operationId: 'getPriceUpdate',
      summary: 'The price catalogue in force',
      description:
        'It prices new calls that no override matches. Its data is that of the installed package, or was fetched later.',
      tags,
      response: { 200: catalogueFields.meta({ description: 'The catalogue.', examples: [exampleCatalogue] }) },
    },
    handler: async () => {
      const { data, fetchedAt } = await readCatalogueInForce(control);
      return await describe({ data }, fetchedAt);
    },
  });
  app.post('/admin/prices/update/', {
    config,
    bodyLimit: maxFileBytes,
    schema: {
      operationId: 'postPriceUpdate',
      summary: 'Put newer list prices in force',
      body: updateBody,
      description:
        'They price calls whose first outcome is received from now on, in every project; no past number changes. ' +
        'If the fetch fails or the data is malformed, nothing changes. Newer data that comes with Farthing replaces fetched prices.',
      tags,
      response: {
        200: appliedFields.meta({
          description: 'The prices are in force.',
          examples: [{ ...exampleCatalogue, changed: true, changes: [] }],
        }),
      },
    },
    handler: async (request) => {
      const { from, file } = request.body ?? { from: 'genai-prices' as const, file: undefined };
      const text = file === undefined ? undefined : JSON.stringify(file);
      const now = clock();
      const store =
        from === 'genai-prices'
          ? storeCatalogueUpdate.bind(undefined, control, await newerCatalogue(url, text), now)
          : storeList.bind(undefined, control, await newerList(from, urls[from], text, now), now);
      const { result: changed, changes } = await findChanges(async () => {
        const isNew = await store();
        await priceBooks.activateCurrentCatalogue();
        return isNew;
      });
      const { data, fetchedAt } = await readCatalogueInForce(control);
      return { ...(await describe({ data }, fetchedAt)), changed, changes: changes.map(toChange) };
    },
  });
  app.post('/admin/prices/look/', {
    config,
    schema: {
      operationId: 'postPriceLook',
      summary: 'Look for newer list prices',
      description:
        'Fetches them without putting them in force. `GET /api/price-check/` and the alert `price_change` compare with them.',
      tags,
      response: {
        200: updateFields.meta({
          description: 'The prices that were fetched.',
          examples: [{ ...exampleCatalogue, changed: true }],
        }),
      },
    },
    handler: async () => {
      const fetched = await fetchCatalogue(url).catch(refuseFetch(url));
      const now = clock();
      await noteSeenCatalogue(control, fetched, now);
      const { hash } = await readCatalogueInForce(control);
      return { ...(await describe(fetched, now)), changed: hash !== fetched.hash };
    },
  });
}

/** @throws Problem `unavailable` when nothing usable was fetched */
const refuseFetch =
  (url: string) =>
  (cause: unknown): never => {
    throw cause instanceof CatalogueFetchError ? notFetched(url, cause) : cause;
  };

/** @throws Problem `invalid_body` when the file is no catalogue, or `unavailable` when nothing usable was fetched */
async function newerCatalogue(url: string, text: string | undefined): Promise<Snapshot> {
  if (text === undefined) return await fetchCatalogue(url).catch(refuseFetch(url));
  try {
    return readCatalogue(text);
  } catch (cause) {
    if (!(cause instanceof CatalogueFetchError)) throw cause;
    throw notRead('genai-prices', url, cause);
  }
}

/** The list as of today. @throws Problem as `newerCatalogue` does */
async function newerList(
  list: Exclude<UpdatedList, 'genai-prices'>,
  url: string,
  file: string | undefined,
  now: number,
): Promise<ReturnType<typeof readListText> & { readonly list: typeof list }> {
  const text = file ?? (await download(url).catch(refuseFetch(url)));
  const today = dayOf('UTC', now);
  try {
    return { ...readListText(list, text, { version: today, date: today }), list };
  } catch (cause) {
    const message = cause instanceof z.ZodError ? describeIssue(cause) : 'has no prices in the format of the list';
    const fault = new CatalogueFetchError(message, { cause });
    throw file === undefined ? notFetched(url, fault) : notRead(list, url, fault);
  }
}

function describeIssue({ issues: [issue] }: z.ZodError): string {
  return `is not in the format of the list (${toPointer(issue?.path ?? []) || 'the whole'}: ${issue?.message})`;
}

const notRead = (list: UpdatedList, url: string, cause: CatalogueFetchError): Problem =>
  new Problem(
    'invalid_body',
    `The file ${cause.message}; no price has changed. Give the file that ${list} publishes at ${withoutSecrets(url)}, ` +
      'or name the list of this file (farthing prices update FILE --from LIST).',
    { cause },
  );

/** Credentials and the query of a URL may be secret. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

const toWire = (catalogue: Pick<Snapshot, 'data'>, fetchedAt: number | null) => {
  const { version, providers, models } = summariseCatalogue(catalogue);
  return { version, fetched_at: toTimeOrNull(fetchedAt), providers, models };
};

const toChange = ({ provider, model, rates }: Awaited<ReturnType<FindChanges>>['changes'][number]) => ({
  ...{ provider, model },
  rates: rates.map(({ rate, before, after }) => ({ rate, before: toNumber(before), after: toNumber(after) })),
});

const toNumber = (text: string | null): number | null => (text === null ? null : Number(text));

const toList = ({ list, version, date, fetchedAt }: ListInForce, now: number) => ({
  ...{ list, version, date },
  age_days: ageOfList(date, now),
  fetched_at: toTimeOrNull(fetchedAt),
});

function notFetched(url: string, cause: CatalogueFetchError): Problem {
  return new Problem(
    'unavailable',
    `The price list at ${withoutSecrets(url)} ${cause.message}; no price has changed. Try again later. ` +
      'Without network access, give its file (farthing prices update FILE), or install a newer version of Farthing.',
    { headers: { 'retry-after': String(retryAfterSeconds) }, cause },
  );
}
