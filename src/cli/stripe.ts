import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import type { HookWire } from '../billing/revenue/stripe/routes.ts';
import { readClientSettings } from '../config.ts';
import { CommandError, pathStep } from './api.ts';
import { orDash, printDone, printJson, printTable } from './print.ts';
import { openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';

interface HookOptions extends ProjectOptions {
  readonly customerKey?: string;
}

export function stripeCommand(): Command {
  const stripe = new Command('stripe').description('Set up revenue from Stripe: webhooks, customers, exchange rates.');
  const command = projectCommandsOf(stripe);
  command('list', 'List the hooks of a project.', 'farthing stripe list').action(async (options: HookOptions) => {
    const { api } = await openProject(options);
    const answer = await api.get<{ readonly hooks: readonly HookWire[] }>('/api/stripe/');
    if (options.json) printJson(answer);
    else printHooks(answer.hooks);
  });
  command(
    'add',
    'Make a hook, with the signing secret in STRIPE_SIGNING_SECRET or on standard input.',
    'farthing stripe add --customer-key farthing_customer',
  )
    .option('--customer-key <key>', 'the metadata key that names the customer')
    .action(async (options: HookOptions) => {
      const { api } = await openProject(options);
      const made = await api.post<HookWire>('/api/stripe/', {
        signing_secret: await readSigningSecret(),
        customer_key: options.customerKey ?? null,
      });
      if (options.json) printJson(made);
      else printHooks([made]);
    });
  command(
    'rotate <hook>',
    'Give a hook a new signing secret; the previous one stays valid.',
    'farthing stripe rotate shk_…',
  ).action(async (id: string, options: HookOptions) => {
    const { api } = await openProject(options);
    const secret = { signing_secret: await readSigningSecret() };
    const changed = await api.patch<HookWire>(`/api/stripe/${pathStep(id)}/`, secret);
    if (options.json) printJson(changed);
    else printHooks([changed]);
  });
  command('remove <hook>', 'Delete a hook; its revenue stays.', 'farthing stripe remove shk_…').action(
    async (id: string, options: HookOptions) => {
      const { api } = await openProject(options);
      await api.delete(`/api/stripe/${pathStep(id)}/`);
      printDone(options, `Removed ${id}.`);
    },
  );
  command(
    'map <stripe-customer> <customer>',
    'Set the customer of a Stripe customer, also for the past.',
    'farthing stripe map cus_QXg1o8vcGmoR32 acme',
  ).action(async (stripeCustomer: string, customer: string, options: ProjectOptions) => {
    const { api } = await openProject(options);
    const customers = [{ stripe_customer: stripeCustomer, customer }];
    const answer = await api.put<unknown>('/api/stripe/customers/', { customers });
    if (options.json) printJson(answer);
    else console.log(`${stripeCustomer} is ${customer}.`);
  });
  command(
    'rate <currency> <day> <usd>',
    'Set what one unit of a currency is worth in USD, from a day on.',
    'farthing stripe rate EUR 2026-11-01 1.0875',
  ).action(async (currency: string, day: string, usd: string, options: ProjectOptions) => {
    const { api } = await openProject(options);
    const answer = await api.put<unknown>('/api/exchange-rates/', { currency, day, usd });
    if (options.json) printJson(answer);
    else console.log(`From ${day} on, one ${currency.toUpperCase()} is ${usd} USD.`);
  });
  return stripe;
}

async function readSigningSecret(): Promise<string> {
  const secret = readClientSettings().stripeSigningSecret ?? (await text(process.stdin)).trim();
  if (secret === '') throw new CommandError('Set STRIPE_SIGNING_SECRET, or give the secret on standard input.');
  return secret;
}

const printHooks = (hooks: readonly HookWire[]): void =>
  printTable(
    ['hook', 'path for Stripe', 'customer key', 'events', 'newest event', 'last refusal'],
    hooks.map((hook) => [
      hook.id,
      hook.url_path,
      orDash(hook.customer_key),
      String(hook.events),
      orDash(hook.last_event_at),
      orDash(hook.last_refusal && `${hook.last_refusal.at} ${hook.last_refusal.reason}`),
    ]),
  );
