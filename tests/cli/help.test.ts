// The help of every command has an example, and the examples run as they are typed, with the ids that were made here.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../support/client.ts';
import { runInHost } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'farthing-help-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Examples that tests of their own run: they start a service, ask the internet, or read a secret from the terminal. */
const runElsewhere = new Set([
  ...['serve', 'engine', 'migrate', 'demo', 'mcp', 'restore', 'move', 'doctor', 'prices check', 'prices update'],
  ...['stripe add', 'stripe rotate', 'stripe remove', 'providers add', 'providers change', 'providers read'],
  'providers remove',
]);

const costsPage = {
  object: 'page',
  data: [
    {
      ...{ object: 'bucket', start_time: 1_793_491_200, end_time: 1_793_577_600 },
      results: [{ amount: { value: 1.5, currency: 'usd' }, line_item: 'gpt-4o-2024-08-06, input' }],
    },
  ],
  has_more: false,
  next_page: null,
};

const focusPage = `BilledCost,BillingCurrency,ChargeCategory,ChargePeriodEnd,ChargePeriodStart,ProviderName,ServiceName
1.5,USD,Usage,2026-11-02T00:00:00Z,2026-11-01T00:00:00Z,AWS,Amazon Bedrock
`;

/** What the files of the examples hold, by command and name. */
const files: Readonly<Record<string, string>> = {
  'shared-costs import november.csv':
    'external_id,name,amount,date_from,date_to,allocate_by\ngpu-1-2026-11,GPU,1800,2026-11-01,2026-11-30,tokens\n',
  'invoices import costs.json': JSON.stringify(costsPage),
  'invoices import export-1.csv': focusPage,
  'invoices import export-2.csv': focusPage,
  'invoices import november.csv': 'date,amount,model\n2026-11-01,12.5,gpt-4o\n',
  'revenue import invoices.csv':
    'id,Date (UTC),Customer,Currency,Total,Status,Paid At (UTC)\nin_1,2026-10-01 10:00,cus_1,usd,20.00,paid,2026-10-02 10:00\n',
  'import events.ndjson': `${JSON.stringify(costEvent({ cost: 1 }))}\n`,
};

interface Example {
  readonly words: string;
  readonly args: readonly string[];
  readonly hasProject: boolean;
}

/** The examples of all commands, in the order of the help. */
async function listExamples(words: readonly string[] = []): Promise<Example[]> {
  const { code, stdout } = await runInHost([...words, '--help']);
  expect(code, words.join(' ')).toBe(0);
  const [, listed = ''] = stdout.split('\nCommands:\n');
  const names = [...listed.matchAll(/^ {2}([a-z][\w-]+)/gm)].flatMap(([, name = '']) =>
    name === 'help' ? [] : [name],
  );
  const examples: Example[] = [];
  for (const name of names) examples.push(...(await listExamples([...words, name])));
  if (names.length > 0) return examples;
  const [, example = ''] = stdout.split('Example:\n');
  const own = words.join(' ');
  expect(example, own).toMatch(new RegExp(`node \\S*bin/farthing\\.js ${own}`));
  // The last folder of a path is no command.
  expect(example, own).not.toMatch(/\/node /);
  if (/\b(?!sec)[a-z]{3}_…/.test(example)) expect(example, own).toMatch(/farthing\.js \w+ list shows them/);
  return [...example.matchAll(/^ {2}node \S*bin\/farthing\.js (.*)$/gm)].map(([, line = '']) => ({
    words: own,
    args: [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain),
    hasProject: stdout.includes('--project <id>'),
  }));
}

test('D13.2: the help of every command has an example, which works as typed', async () => {
  const farthing = sharedFarthing();
  const [shop, desk] = await Promise.all(
    ['revenue', 'internal'].map((type) => farthing.createProject({ name: `Help ${type}`, type })),
  );
  await shop?.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
  const call = { cost: 1, model: 'gpt-4o', provider: 'openai', tags: { customer: 'acme' } };
  await shop?.post(costEvent({ ...call, timestamp: '2026-10-15T12:00:00Z' }));

  const made = new Map<string, string>();
  const toTyped = ({ words, args }: Example): string[] =>
    args.map((arg, index) => {
      if (words === 'backup' && index === 1) return join(folder, 'backup');
      if (args[index - 1] === '--out') return join(folder, arg);
      const text = files[`${words} ${arg}`];
      const path = join(folder, arg);
      if (text !== undefined) writeFileSync(path, text);
      else if (arg === 'observations.jsonl')
        copyFileSync(new URL('../fixtures/imports/langfuse-blob.jsonl', import.meta.url), path);
      else return arg.replace(/^4f0c…$|\b([a-z]{2,3})_…$/, (_, of = 'client') => made.get(of) ?? arg);
      return path;
    });

  const examples = (await listExamples()).filter(({ words }) => !runElsewhere.has(words));
  const isEnd = ({ words }: Example) => /(?:delete|remove|revoke|revoke-secret)$/.test(words);
  const faults: string[] = [];
  for (const example of [...examples.filter((one) => !isEnd(one)), ...examples.filter(isEnd)]) {
    const { words, hasProject } = example;
    const id = /performance|users/.test(words) ? desk?.id : shop?.id;
    const args = [...toTyped(example), ...(hasProject ? ['--project', id ?? ''] : [])];
    const result = await runInHost(args, { FARTHING_URL: farthing.url, FARTHING_ADMIN_TOKEN: farthing.adminToken });
    if (result.code !== 0) faults.push(`${args.join(' ')}: ${result.stderr}`);
    if (!/(?:create|set|add-secret)$/.test(words)) continue;
    for (const [found, of = 'client'] of result.stdout.matchAll(/\b([a-z]{2,3})_\w{20,}|[0-9a-f-]{36}/g))
      made.set(of, found);
  }
  expect(faults).toEqual([]);
});
