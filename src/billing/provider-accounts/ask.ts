import type { Period } from '../../lib/days.ts';
import { getGuarded, hostOf, RequestFault, type Resolve } from '../../lib/guarded-request.ts';
import { tryParseJson } from '../../lib/json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { readRetryAfter } from '../../lib/retry-after.ts';
import { version } from '../../lib/version.ts';
import type { ProviderKind } from '../../storage/control/schema/billing-rows.ts';
import { anthropic } from './apis/anthropic.ts';
import { openAi } from './apis/openai.ts';
import { openRouter } from './apis/openrouter.ts';
import type { Part, ProviderApi } from './apis/part.ts';

export const providerApis: Readonly<Record<ProviderKind, ProviderApi>> = {
  openai: openAi,
  anthropic,
  openrouter: openRouter,
};

/** Why a provider could not be read, for people. It holds nothing that the provider has sent. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  /** The provider wants no request for so long, in milliseconds. */
  readonly waitMs: number;
  /** The status of the answer, if it is that. */
  readonly status: number | undefined;

  constructor(
    message: string,
    options: ErrorOptions & { readonly waitMs?: number; readonly status?: number | undefined } = {},
  ) {
    super(message, options);
    this.waitMs = options.waitMs ?? 0;
    this.status = options.status;
  }
}

/** Other addresses of providers, for tests and proxies. */
export type ProviderUrls = Readonly<Partial<Record<ProviderKind, string>>>;

export interface AskOptions {
  readonly kind: ProviderKind;
  readonly key: string;
  readonly urls: ProviderUrls;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly resolve?: Resolve;
}

const timeoutMs = 60_000;
const maxBytes = 64 * 1_048_576;
/** The most pages of one span of days. */
const maxPages = 2_000;
/** The longest wait that a provider can ask for, in milliseconds. */
const longestWaitMs = 24 * 3_600_000;

/** The pages of a part for a span of days, to their end. @throws ProviderFault; the reason of the signal */
export async function* askPages(part: Part, span: Period, options: AskOptions): AsyncGenerator<JsonObject> {
  let page: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const body = await askOnce(part, span, page, options);
    yield body;
    if (body.has_more !== true) return;
    const next = body.next_page;
    if (typeof next !== 'string' || next === '' || next === page || pages >= maxPages) {
      throw new ProviderFault(`${options.kind} named no next page of ${part.name}`);
    }
    page = next;
  }
}

async function askOnce(
  { name, path, query }: Part,
  span: Period,
  page: string | undefined,
  { kind, key, urls, signal, clock, resolve }: AskOptions,
): Promise<JsonObject> {
  const { url: own, headers } = providerApis[kind];
  const given = urls[kind];
  const url = new URL(`${given ?? own}${path}`);
  for (const [field, value] of query(span)) url.searchParams.append(field, value);
  if (page !== undefined) url.searchParams.append('page', page);
  // Only the provider's own host is public and over https; an operator's own address may be neither.
  const hosts = new Set(given === undefined ? [] : [hostOf(url)]);
  try {
    const answer = await getGuarded(
      url,
      {
        headers: { ...headers(key), accept: 'application/json', 'user-agent': `Farthing/${version}` },
        ...{ timeoutMs, signal, maxBytes },
      },
      { hosts, ...(resolve !== undefined && { resolve }) },
    );
    const { status, retryAfter } = answer;
    if (status !== 200) {
      const waitMs = Math.min(readRetryAfter(retryAfter, clock()), longestWaitMs);
      throw new ProviderFault(`${kind} ${describeStatus(status)} ${name}`, { waitMs, status });
    }
    const body = tryParseJson(answer.body.toString());
    if (isJsonObject(body) && Array.isArray(body.data)) return body;
    throw new ProviderFault(`${kind} answered no JSON with data for ${name}`);
  } catch (cause) {
    if (cause instanceof RequestFault) throw new ProviderFault(`${kind} ${cause.message}, for ${name}`, { cause });
    throw cause;
  }
}

function describeStatus(status: number): string {
  if (status === 401) return 'refused the key (401): give one that is valid, of an administrator, for';
  if (status === 403) return 'refused the key (403): it lacks the right to read';
  if (status === 429) return 'wants fewer requests (429) for';
  return `answered with status ${status} for`;
}
