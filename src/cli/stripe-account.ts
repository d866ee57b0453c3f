import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { CommandError } from './api.ts';

/** A version in which invoices and charges name each other. */
const apiVersion = '2024-06-20';
const listed = z.object({ data: z.array(z.looseObject({ id: z.string() })), has_more: z.boolean() });
const mostAttempts = 5;

interface StripeAccess {
  readonly url: string;
  readonly key: string;
}

/** Reads from the API of Stripe all objects that revenue depends on: customers, invoices, credit notes and refunds. */
export async function* readStripeAccount(access: StripeAccess): AsyncGenerator<unknown> {
  yield* readPages(access, '/v1/customers');
  for await (const invoice of readPages(access, '/v1/invoices')) {
    if (invoice.status !== 'draft') yield await withAllLines(access, invoice, `/v1/invoices/${invoice.id}/lines`);
  }
  for await (const note of readPages(access, '/v1/credit_notes')) {
    yield await withAllLines(access, note, `/v1/credit_notes/${note.id}/lines`);
  }
  for await (const charge of readPages(access, '/v1/charges?expand[]=data.refunds')) {
    if (charge.amount_refunded !== 0) yield charge;
  }
}

type Listed = z.output<typeof listed>['data'][number];

/** Reads all lines of an object, because a list has only its first ones. */
async function withAllLines(access: StripeAccess, object: Listed, path: string): Promise<Listed> {
  const lines = listed.safeParse(object.lines);
  if (!lines.success || !lines.data.has_more) return object;
  const data: Listed[] = [];
  for await (const line of readPages(access, path)) data.push(line);
  return { ...object, lines: { object: 'list', data, has_more: false } };
}

async function* readPages(access: StripeAccess, path: string): AsyncGenerator<Listed> {
  for (let after: string | undefined; ; ) {
    const url = new URL(path, access.url);
    url.searchParams.set('limit', '100');
    if (after !== undefined) url.searchParams.set('starting_after', after);
    const { data, has_more: hasMore } = await ask(access, url);
    yield* data;
    after = data.at(-1)?.id;
    if (!hasMore || after === undefined) return;
  }
}

async function ask({ key }: StripeAccess, url: URL): Promise<z.output<typeof listed>> {
  for (let attempt = 1; ; attempt += 1) {
    const headers = { authorization: `Bearer ${key}`, 'stripe-version': apiVersion };
    const answer = await fetch(url, { headers }).catch((cause: unknown) => {
      throw new CommandError(`Stripe cannot be reached at ${url.origin}.`, { cause });
    });
    const text = await answer.text();
    if (answer.ok) {
      const page = listed.safeParse(parseJson(text));
      if (page.success) return page.data;
      throw new CommandError(`${url.origin} does not answer as Stripe does.`);
    }
    if (answer.status === 401) throw new CommandError('Stripe does not know this API key.');
    if (answer.status === 403) throw new CommandError(`The API key may not read ${url.pathname} of Stripe.`);
    const isPassing = answer.status === 429 || answer.status >= 500;
    if (!isPassing || attempt >= mostAttempts) {
      throw new CommandError(`Stripe answered ${url.pathname} with status ${answer.status}.`);
    }
    await sleep(500 * 2 ** attempt);
  }
}
