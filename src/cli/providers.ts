import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { type NameEntry, nameSources } from '../billing/provider-accounts/names.ts';
import type { ProviderAccountWire } from '../billing/provider-accounts/routes.ts';
import { readClientSettings } from '../config.ts';
import { type Mode, modes, type ProviderKind, providerKinds } from '../storage/control/schema/billing-rows.ts';
import { CommandError, pathStep } from './api.ts';
import { orDash, printDone, printJson, printTable, toCount } from './print.ts';
import { openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';

interface AccountOptions extends ProjectOptions {
  readonly mode?: Mode;
  readonly since?: string;
  readonly name?: readonly string[];
  readonly key?: boolean;
  readonly keep?: boolean;
}

const path = '/api/provider-accounts/';

export function providersCommand(): Command {
  const providers = new Command('providers').description(
    'Read costs and usage from your accounts at OpenAI, Anthropic and OpenRouter.',
  );
  const command = projectCommandsOf(providers);
  const mode = () => new Option('--mode <mode>', 'invoices alone, or calls too').choices(modes);
  const names = () =>
    new Option(
      '--name <name>',
      'what a key, user or workspace stands for: key:ID=customer:NAME,feature:NAME; may be repeated, and all replace the table',
    ).argParser((value: string, before: readonly string[] = []) => [...before, value]);
  command('list', 'List the accounts, with the result of their last read.', 'farthing providers list', {
    isDefault: true,
  }).action(async (options: ProjectOptions) => {
    const { api } = await openProject(options);
    const answer = await api.get<{ readonly accounts: readonly ProviderAccountWire[] }>(path);
    if (options.json) printJson(answer);
    else printAccounts(answer.accounts);
  });
  command(
    'add <kind>',
    'Add an account at openai, anthropic or openrouter, with its key in PROVIDER_KEY or on standard input.',
    'farthing providers add openai --mode meter < key.txt',
  )
    .addOption(mode().default('reconcile'))
    .option('--since <day>', 'the first day to read (default: 30 days ago)')
    .addOption(names())
    .action(async (kind: string, { mode: chosen, since, name, ...options }: AccountOptions) => {
      if (!isKind(kind)) throw new CommandError(`The kind must be one of ${providerKinds.join(', ')}.`);
      const body = { kind, mode: chosen, since, names: toNames(name), key: await readKey() };
      const { api } = await openProject(options);
      show(options, await api.post<ProviderAccountWire>(path, body));
    });
  command(
    'change <account>',
    'Change the mode, the table of names or the key. With --key, the key comes from where `add` reads it.',
    'farthing providers change pva_… --name key:key_4f9a=customer:acme',
  )
    .addOption(mode())
    .addOption(names())
    .option('--key', 'read another key')
    .action(async (id: string, { mode: chosen, name, key, ...options }: AccountOptions) => {
      const body = { mode: chosen, names: name && toNames(name), key: key ? await readKey() : undefined };
      const { api } = await openProject(options);
      show(options, await api.patch<ProviderAccountWire>(`${path}${pathStep(id)}/`, body));
    });
  command('read <account>', 'Read an account now.', 'farthing providers read pva_…').action(
    async (id: string, options: AccountOptions) => {
      const { api } = await openProject(options);
      show(options, await api.post<ProviderAccountWire>(`${path}${pathStep(id)}/read/`));
    },
  );
  command(
    'remove <account>',
    'Delete an account with its key, and with its entries and calls unless --keep is given.',
    'farthing providers remove pva_…',
  )
    .option('--keep', 'keep its entries and calls')
    .action(async (id: string, options: AccountOptions) => {
      const { api } = await openProject(options);
      await api.delete(`${path}${pathStep(id)}/${options.keep ? '?keep=true' : ''}`);
      printDone(options, `Removed ${id}.`);
    });
  return providers;
}

const isKind = (kind: string): kind is ProviderKind => providerKinds.some((one) => one === kind);

async function readKey(): Promise<string> {
  const key = readClientSettings().providerKey ?? (await text(process.stdin)).trim();
  if (key === '') throw new CommandError('Set PROVIDER_KEY, or give the key on standard input.');
  return key;
}

const shapeOfName = /^(\w+):(.+)=((?:customer|user|feature):[^,]+(?:,(?:customer|user|feature):[^,]+)*)$/;

/** `key:key_4f9a=customer:acme,feature:chat` */
const toNames = (texts: readonly string[] = []): NameEntry[] =>
  texts.map((one) => {
    const [, by, id, named] = shapeOfName.exec(one) ?? [];
    const source = nameSources.find((known) => known === by);
    if (source === undefined || id === undefined || named === undefined) {
      throw new CommandError(`${one} must be like key:ID=customer:NAME,feature:NAME, by key, user or workspace.`);
    }
    const fields = named
      .split(',')
      .map((part) => [part.slice(0, part.indexOf(':')), part.slice(part.indexOf(':') + 1)]);
    return { by: source, id, ...Object.fromEntries(fields) };
  });

function show(options: ProjectOptions, account: ProviderAccountWire): void {
  if (options.json) printJson(account);
  else printAccounts([account]);
}

const printAccounts = (accounts: readonly ProviderAccountWire[]): void =>
  printTable(
    ['account', 'kind', 'mode', 'last success', 'days', 'changed', 'calls', 'last fault', 'next'],
    accounts.map(({ last_read: read, last_fault: fault, switched, ...one }) => [
      ...[
        one.id,
        one.kind,
        switched?.done === false ? `${one.mode}, not yet done` : one.mode,
        orDash(one.last_success_at),
      ],
      orDash(read && `${read.date_from} to ${read.date_to}`),
      orDash(read && `${toCount(read.entries_changed)} entries, ${toCount(read.calls_changed)} calls`),
      ...[toCount(one.calls), orDash(fault && `${fault.at} ${fault.reason}`), one.next_at],
    ]),
  );
