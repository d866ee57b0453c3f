import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import type { TakenObjects } from '../billing/revenue/stripe/object-routes.ts';
import { readClientSettings } from '../config.ts';
import { type AdminApi, CommandError } from './api.ts';
import { checkFiles } from './files.ts';
import { printJson } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';
import { readStripeAccount } from './stripe-account.ts';
import { readStripeFile } from './stripe-files.ts';

interface ImportOptions extends ProjectOptions {
  readonly key?: boolean;
  readonly stripeUrl: string;
}

/** The limit of a request is 4 MiB and 1,000 objects. */
const batch = { objects: 500, characters: 1_000_000 };

export function revenueCommand(): Command {
  const revenue = new Command('revenue').description('Import what customers paid.');
  const command = revenue
    .command('import')
    .description(
      'Import invoices, credit notes and refunds of Stripe: files of its objects, events or CSV, or its API.',
    )
    .argument('[file...]', 'JSON, JSONL or the CSV of invoices that the Stripe Dashboard exports, also gzipped')
    .addOption(new Option('--from <system>', 'the system').choices(['stripe']).makeOptionMandatory())
    .option(
      '--key',
      'read everything from the API of Stripe, with the key in STRIPE_API_KEY, or else on standard input',
    )
    .addOption(new Option('--stripe-url <url>', 'address of the API of Stripe').default('https://api.stripe.com'))
    .action(runImport);
  asProjectCommand(command, 'farthing revenue import --from stripe invoices.csv');
  return revenue;
}

type Totals = Omit<TakenObjects, 'ok'>;

async function runImport(files: readonly string[], options: ImportOptions): Promise<void> {
  if (files.length > 0 === (options.key === true)) throw new CommandError('Give files, or --key.');
  checkFiles(files);
  const { api } = await openProject(options);
  const totals: Totals = { objects: 0, changed: 0, ignored: 0 };
  if (options.key) {
    const key = readClientSettings().stripeApiKey ?? (await text(process.stdin)).trim();
    if (key === '') throw new CommandError('Set STRIPE_API_KEY, or give the key on standard input.');
    const readAt = Math.floor(Date.now() / 1_000);
    await postAll(api, readStripeAccount({ url: options.stripeUrl, key }), totals, readAt);
  }
  for (const file of files) await postAll(api, readStripeFile(file), totals, undefined);
  if (options.json) return printJson(totals);
  console.log(`${totals.objects} objects of Stripe, ${totals.changed} with something new, ${totals.ignored} ignored.`);
}

async function postAll(
  api: AdminApi,
  objects: AsyncIterable<unknown>,
  totals: Totals,
  readAt: number | undefined,
): Promise<void> {
  let waiting: unknown[] = [];
  let characters = 0;
  const post = async () => {
    if (waiting.length === 0) return;
    const answer = await api.post<TakenObjects>('/api/stripe/objects/', { objects: waiting, read_at: readAt });
    totals.objects += answer.objects;
    totals.changed += answer.changed;
    totals.ignored += answer.ignored;
    waiting = [];
    characters = 0;
  };
  for await (const object of objects) {
    waiting.push(object);
    characters += JSON.stringify(object).length;
    if (waiting.length >= batch.objects || characters >= batch.characters) await post();
  }
  await post();
}
