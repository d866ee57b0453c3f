import { z } from 'zod';
import type { ControlStore } from '../control/control-store.ts';
import type { App } from '../http/app.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { timeField, toTimeOrNull } from '../lib/times.ts';
import type { Snapshot } from './catalogue.ts';
import {
  CatalogueFetchError,
  fetchCatalogue,
  readCatalogueInForce,
  storeCatalogueUpdate,
  summariseCatalogue,
} from './catalogue-updates.ts';
import { noteSeenCatalogue } from './check/newer-catalogue.ts';
import type { PriceBooks } from './price-books.ts';

export interface CatalogueUpdateRoutesOptions {
  readonly control: ControlStore;
  readonly priceBooks: PriceBooks;
  readonly clock: Clock;
  /** The address of newer data. */
  readonly url: string;
}

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
});
const updateFields = catalogueFields.extend({
  changed: z.boolean().describe('Whether the prices differ from those that were in force.'),
});

const exampleCatalogue = {
  version: '0.1.8+3d9e2505110d',
  fetched_at: '2026-11-21T07:31:12.040Z',
  providers: 36,
  models: 1_466,
};

/** `GET`, `POST /admin/prices/update/` and `POST /admin/prices/look/` (D5.2). */
export function registerCatalogueUpdates(app: App, options: CatalogueUpdateRoutesOptions): void {
  const { control, priceBooks, clock, url } = options;
  const config = { access: 'admin' } as const;
  const tags = ['Admin'];
  app.get(
    '/admin/prices/update/',
    {
      config,
      schema: {
        summary: 'The price catalogue in force',
        description:
          'It prices new calls that no override matches. Its data is that of the installed package, or was fetched later.',
        tags,
        response: { 200: catalogueFields.meta({ description: 'The catalogue.', examples: [exampleCatalogue] }) },
      },
    },
    async () => {
      const { data, fetchedAt } = await readCatalogueInForce(control);
      return toWire({ data }, fetchedAt);
    },
  );
  app.post(
    '/admin/prices/update/',
    {
      config,
      schema: {
        summary: 'Fetch newer list prices',
        description:
          'They price calls whose first outcome is received from now on, in every project; no past number changes (D5.5). ' +
          'If the fetch fails or the data is malformed, nothing changes. Newer data that comes with Farthing replaces fetched prices.',
        tags,
        response: {
          200: updateFields.meta({
            description: 'The prices are in force.',
            examples: [{ ...exampleCatalogue, changed: true }],
          }),
        },
      },
    },
    async () => {
      const fetched = await fetchNewer(url);
      const now = clock();
      const changed = await storeCatalogueUpdate(control, fetched, now);
      await priceBooks.activateCurrentCatalogue();
      return { ...toWire(fetched, now), changed };
    },
  );
  app.post(
    '/admin/prices/look/',
    {
      config,
      schema: {
        summary: 'Look for newer list prices',
        description:
          'Fetches them without putting them in force: `GET /api/price-check/` and the alert `price_change` compare with them.',
        tags,
        response: {
          200: updateFields.meta({
            description: 'The prices that were fetched.',
            examples: [{ ...exampleCatalogue, changed: true }],
          }),
        },
      },
    },
    async () => {
      const fetched = await fetchNewer(url);
      const now = clock();
      await noteSeenCatalogue(control, fetched, now);
      const { hash } = await readCatalogueInForce(control);
      return { ...toWire(fetched, now), changed: hash !== fetched.hash };
    },
  );
}

/** @throws Problem `unavailable` when nothing usable was fetched */
async function fetchNewer(url: string): Promise<Snapshot> {
  return await fetchCatalogue(url).catch((cause: unknown) => {
    throw cause instanceof CatalogueFetchError ? notFetched(url, cause) : cause;
  });
}

const toWire = (catalogue: Pick<Snapshot, 'data'>, fetchedAt: number | null) => {
  const { version, providers, models } = summariseCatalogue(catalogue);
  return { version, fetched_at: toTimeOrNull(fetchedAt), providers, models };
};

function notFetched(url: string, cause: CatalogueFetchError): Problem {
  // Credentials and the query of the URL may be secret.
  const { origin, pathname } = new URL(url);
  return new Problem(
    'unavailable',
    `The price catalogue at ${origin}${pathname} ${cause.message}; no price has changed. ` +
      'Without network access, install a newer version of Farthing for new prices.',
    { headers: { 'retry-after': String(retryAfterSeconds) }, cause },
  );
}
