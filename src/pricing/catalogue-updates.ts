import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { toPointer } from '../lib/problem.ts';
import type { ControlQueries, ControlStore } from '../storage/control/control-store.ts';
import { installedCatalogue, type Snapshot, snapshotOf } from './catalogue.ts';
import { catalogueData } from './catalogue-data.ts';

/** The list prices that new price books use. */
export type CatalogueInForce = Snapshot & {
  /** Milliseconds since 1970; null for the data of the installed package. */
  readonly fetchedAt: number | null;
};

/** What was fetched last under the installed version of the package, or else its own: a newer package wins (D5.2). */
export async function readCatalogueInForce(queries: ControlQueries): Promise<CatalogueInForce> {
  const installed = installedCatalogue();
  const update = await queries
    .selectFrom('catalogue_updates')
    .innerJoin('price_data', 'price_data.hash', 'catalogue_updates.hash')
    .select(['price_data.hash', 'price_data.data', 'catalogue_updates.fetched_at'])
    .where('catalogue_updates.package_version', '=', installed.version)
    .orderBy('catalogue_updates.fetched_at', 'desc')
    .orderBy('catalogue_updates.hash')
    .limit(1)
    .executeTakeFirst();
  return update === undefined
    ? { data: installed.data, hash: installed.hash, fetchedAt: null }
    : { data: update.data, hash: update.hash, fetchedAt: update.fetched_at };
}

/** Stores a part of a price book by its hash, unless it is already stored. */
export async function keepPriceData(
  queries: ControlQueries,
  { hash, data }: Pick<Snapshot, 'hash' | 'data'>,
  now: number,
): Promise<void> {
  await queries
    .insertInto('price_data')
    .values({ hash, data, created_at: now })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute();
}

/** Makes fetched data the catalogue in force. False when it was in force already. */
export async function storeCatalogueUpdate(control: ControlStore, fetched: Snapshot, now: number): Promise<boolean> {
  return await control.transaction().execute(async (transaction) => {
    const before = await readCatalogueInForce(transaction);
    await keepPriceData(transaction, fetched, now);
    const noted = { package_version: installedCatalogue().version, fetched_at: now };
    await transaction
      .insertInto('catalogue_updates')
      .values({ hash: fetched.hash, ...noted })
      .onConflict((conflict) => conflict.column('hash').doUpdateSet(noted))
      .execute();
    return before.hash !== fetched.hash;
  });
}

export function summariseCatalogue({ data }: Pick<Snapshot, 'data'>) {
  const { version, providers } = catalogueData.parse(parseJson(data));
  const models = providers.reduce((sum, provider) => sum + provider.models.length, 0);
  return { version, providers: providers.length, models };
}

/** A failed fetch of newer data. The message is a predicate, such as "answered with status 404". */
export class CatalogueFetchError extends Error {
  override readonly name = 'CatalogueFetchError';
}

export interface FetchLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const defaultLimits: FetchLimits = { timeoutMs: 30_000, maxBytes: 32 * 1_048_576 };

/**
 * Fetches the catalogue's data and checks its format. The version is that of the installed package. Data other than the
 * package's own adds the first 12 digits of its hash, so the same data always has the same version.
 * @throws CatalogueFetchError
 */
export async function fetchCatalogue(url: string, limits: FetchLimits = defaultLimits): Promise<Snapshot> {
  return readCatalogue(await download(url, limits));
}

/**
 * Reads the text of the catalogue's file, whole.
 * @throws CatalogueFetchError
 */
export function readCatalogue(text: string): Snapshot {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (cause) {
    throw new CatalogueFetchError('is not valid JSON', { cause });
  }
  const providers = checkProviders(json);
  const installed = installedCatalogue();
  const snapshot = snapshotOf({ version: installed.version, providers });
  if (snapshot.hash === installed.hash) return snapshot;
  return snapshotOf({ version: `${installed.version}+${snapshot.hash.slice(0, 12)}`, providers });
}

const fetchedProviders = z
  .array(catalogueData.shape.providers.element)
  .refine((providers) => providers.some(({ models }) => models.length > 0), { error: 'must hold models' });

function checkProviders(json: unknown): z.output<typeof fetchedProviders> {
  let checked: z.ZodSafeParseResult<z.output<typeof fetchedProviders>>;
  try {
    checked = fetchedProviders.safeParse(json);
  } catch (cause) {
    // Deeply nested rules exhaust the stack.
    throw new CatalogueFetchError('is nested too deeply', { cause });
  }
  if (checked.success) return checked.data;
  const [first] = checked.error.issues;
  const where = toPointer(first?.path ?? []) || 'the whole';
  throw new CatalogueFetchError(`is not in the catalogue's format (${where}: ${first?.message})`);
}

/**
 * The text at an address.
 * @throws CatalogueFetchError
 */
export async function download(url: string, { timeoutMs, maxBytes }: FetchLimits = defaultLimits): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json' },
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      throw new CatalogueFetchError(`answered with status ${answer.status}`);
    }
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new CatalogueFetchError(`sent more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof CatalogueFetchError) throw cause;
    if (cause instanceof Error && cause.name === 'TimeoutError')
      throw new CatalogueFetchError(`did not answer within ${timeoutMs / 1_000} s`, { cause });
    throw new CatalogueFetchError(`could not be reached${describeCause(cause)}`, { cause });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new CatalogueFetchError('is not valid UTF-8', { cause });
  }
}

/** The code of the cause, such as ENOTFOUND, which the message of `fetch` lacks. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
}
