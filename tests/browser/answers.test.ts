// The page declares the fields of answers by hand (dashboard/src/api/*types.ts). This test has the compiler check that every
// answer allowed by the OpenAPI document fits these types.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sharedFarthing } from '../support/client.ts';

const farthing = sharedFarthing();

/** The page's type for the answer of each route. */
const answers: Readonly<Record<string, string>> = {
  'post /api/costs/': 'Page<CostRow>',
  'post /api/usage/': 'Page<UsageRow>',
  'post /api/changes/': 'Changes',
  'post /api/waste/': 'Waste',
  'get /api/next-steps/': 'NextSteps',
  'get /api/credit-cliff/': 'CreditCliff',
  'post /api/margin/': 'Page<MarginRow>',
  'post /api/performance/': 'Page<PerformanceRow>',
  'post /api/calls/': 'Page<Call>',
  'get /api/calls/{event_id}/': 'ExplainedCall | OpenCall',
  'get /api/runs/{run}/': 'Run',
  'get /api/events/': 'Page<EventRow>',
  'get /api/coverage/': 'Coverage',
  'get /api/customers/': 'Page<ListRow>',
  'get /api/users/': 'Page<ListRow>',
  'get /api/features/': 'Page<ListRow>',
  'get /api/models/': 'Page<ListRow>',
  'get /api/providers/': 'Page<ListRow>',
  'get /api/models/{name}/price/': 'ModelPrice',
  'get /api/prices/': '{ readonly prices: readonly PriceOverride[]; readonly lists: readonly ListAge[] }',
  'get /api/prices/reprices/': '{ readonly reprices: readonly Reprice[] }',
  'get /api/prices/reprices/{id}/': 'RepriceDetail',
  'get /api/credit-grants/': '{ readonly credit_grants: readonly CreditGrant[] }',
  'get /api/revenue/': 'Page<RevenueEntry>',
  'get /api/key-metrics/': '{ readonly key_metrics: readonly KeyMetric[] }',
  'get /api/budgets/': '{ readonly budgets: readonly Budget[] }',
  'get /api/budgets/{name}/': 'BudgetStanding',
  'get /api/alerts/': '{ readonly alerts: readonly Alert[] }',
  'get /api/alerts/firings/': 'FiringsPage',
  'get /api/notification-endpoints/': '{ readonly endpoints: readonly NotificationEndpoint[] }',
  'get /api/notification-endpoints/{id}/attempts/': 'AttemptsPage',
  'get /api/invoices/': 'Page<InvoiceEntry>',
  'post /api/reconciliation/': 'Page<ReconciliationRow>',
  'get /api/closes/': '{ readonly closes: readonly Close[] }',
  'get /api/closes/{id}/': 'Close',
  'post /api/closes/{id}/drift/': 'DriftPage',
  'get /api/stripe/': 'StripeHooks',
  'post /api/stripe/': 'StripeHook',
  'get /api/stripe/customers/': '{ readonly customers: readonly StripePair[] }',
  'get /api/exchange-rates/': '{ readonly rates: readonly ExchangeRate[] }',
  'get /session/': 'Session',
  'post /session/': 'Session',
  'get /admin/projects/': '{ readonly projects: readonly Project[] }',
  'get /admin/projects/{id}/clients/': '{ readonly clients: readonly Client[] }',
  'get /admin/projects/{id}/api-keys/': '{ readonly api_keys: readonly ApiKey[] }',
};

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

/** A JSON schema as a TypeScript type. */
function toType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'never';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return `(${either.map(toType).join(' | ')})`;
  if (schema.allOf) return `(${schema.allOf.map(toType).join(' & ')})`;
  const { type } = schema;
  if (Array.isArray(type)) return `(${type.map((one: string) => toType({ ...schema, type: one })).join(' | ')})`;
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${toType({ anyOf: [schema.items ?? {}] })}[]`;
    case 'object':
      return toObjectType(schema);
    case undefined:
      return 'unknown';
    default:
      return String(type);
  }
}

function toObjectType({ properties = {}, required = [], additionalProperties: others }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, field]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${toType(field)}`,
  );
  const free = typeof others === 'object' && fields.length === 0 ? [`[name: string]: ${toType(others)}`] : [];
  return fields.length + free.length === 0
    ? 'Readonly<Record<string, unknown>>'
    : `{ ${[...fields, ...free].join('; ')} }`;
}

const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.unknown()) }))),
  components: z.object({ schemas: z.record(z.string(), z.custom<Schema>()) }),
});

test('D11.3: every answer that the OpenAPI document allows fits the page’s types', async () => {
  const { paths, components } = document.parse((await farthing.send('GET', '/openapi.json')).body);
  const named = Object.entries(components.schemas).map(([name, schema]) => `export type ${name} = ${toType(schema)};`);
  const checks = Object.entries(answers).map(([route, type], index) => {
    const [method = '', path = ''] = route.split(' ');
    const responses = paths[path]?.[method]?.responses ?? {};
    const good = responses['200'] ?? responses['201'];
    const content = z
      .object({ content: z.record(z.string(), z.object({ schema: z.custom<Schema>() })) })
      .safeParse(good);
    const schema = content.data?.content['application/json']?.schema;
    if (!schema) throw new Error(`The description has no answer of ${route}`);
    return [
      `// ${route}`,
      `declare const answer${index}: ${toType(schema)};`,
      `export const page${index}: ${type} = answer${index};`,
    ].join('\n');
  });
  const names = new Set(Object.values(answers).flatMap((type) => type.match(/[A-Z]\w+/g) ?? []));
  const imports = ['types', 'decide-types', 'alert-types', 'closing-types', 'stripe-types'].map((name) => {
    const file = `dashboard/src/api/${name}.ts`;
    const exported = [...readFileSync(file, 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm)];
    const needed = exported.flatMap(([, name = '']) => (names.has(name) ? [name] : []));
    return `import type { ${needed.join(', ')} } from '${resolve(file)}';`;
  });
  const folder = mkdtempSync(join(resolve('dashboard'), '.answers-'));
  try {
    const file = join(folder, 'answers.ts');
    writeFileSync(file, [...imports, ...named, ...checks].join('\n'));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../tsconfig.json', include: ['answers.ts'] }),
    );
    const { stdout } = await promisify(execFile)('node_modules/.bin/tsc', ['-p', folder]).catch(
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? String(error) }),
    );
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
