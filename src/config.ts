import { resolve } from 'node:path';
import { z } from 'zod';
import { addressList, domainList, hostList, issuerUrl, providerUrls } from './lib/address-fields.ts';
import { findOidcFaults, type OidcSettings, toOidc } from './lib/oidc-settings.ts';

const wholeNumber = (least: number, most: number, error: string) =>
  z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
const port = wholeNumber(0, 65_535, 'must be a whole number from 0 to 65535');
const positiveInteger = wholeNumber(1, Number.MAX_SAFE_INTEGER, 'must be a whole number of at least 1');
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const url = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });
const isNoneOrSecond = (seconds: number) => seconds === 0 || seconds >= 1;

/** All settings (D13.1). `docs/operations/configuration.md` has the same table, and a test compares the two. */
export const environment = {
  FARTHING_HOST: {
    schema: z.string().min(1).default('127.0.0.1'),
    about: 'Address to listen on. `0.0.0.0` listens on every interface.',
  },
  FARTHING_PORT: { schema: port.default(8787), about: 'Port of the service, 0 to 65535; 0 takes a free one.' },
  FARTHING_INTAKE_PORT: {
    schema: port.optional(),
    about: 'A further port that serves the intake alone, at its root: `POST /<client_id>/`.',
  },
  FARTHING_DATA_DIR: {
    schema: z
      .string()
      .min(1)
      .default('./farthing-data')
      .transform((path) => resolve(path)),
    about: 'Folder of the embedded stores, the admin token and the first-start note.',
  },
  FARTHING_ADMIN_TOKEN: {
    schema: z.string().min(16, { error: 'must have at least 16 characters' }).optional(),
    about:
      'The admin token, at least 16 characters. Unset: one is made at the first start and kept in the data folder, mode 0600.',
  },
  FARTHING_CLICKHOUSE_URL: {
    schema: url('http:', 'https:').optional(),
    about: 'A ClickHouse server, `http://user:password@host:8123/database`. Unset: the embedded engine.',
  },
  FARTHING_CLICKHOUSE_CLUSTER: {
    schema: z
      .string()
      .regex(/^[\w.-]+$/, { error: 'must be the name of a cluster' })
      .optional(),
    about: 'The name of a ClickHouse cluster whose shards and replicas hold the tables. Unset: the server alone.',
  },
  FARTHING_CLICKHOUSE_CA_FILE: {
    schema: z.string().min(1).optional(),
    about: 'A PEM file with the certificate authorities of an `https:` ClickHouse server. Unset: those of Node.js.',
  },
  FARTHING_POSTGRES_URL: {
    schema: url('postgres:', 'postgresql:').optional(),
    about: 'A PostgreSQL server, `postgres://user:password@host/database`. Unset: embedded SQLite.',
  },
  FARTHING_ENGINE_HOST: {
    schema: z.string().min(1).default('127.0.0.1'),
    about: 'Address that `farthing engine` listens on, for instances that share it.',
  },
  FARTHING_ENGINE_PORT: {
    schema: port.default(8788),
    about: 'Port of `farthing engine`, 0 to 65535; 0 takes a free one.',
  },
  FARTHING_ENGINE_TOKEN: {
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_.~-]{16,}$/, { error: 'must have at least 16 characters of A-Z a-z 0-9 _ . ~ -' })
      .optional(),
    about:
      'Password of `farthing engine`, as in `http://farthing:<token>@host:8788`. Unset: one is made and kept in the data folder, mode 0600.',
  },
  FARTHING_LOG_LEVEL: {
    schema: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
    about: 'The lowest level of log lines to write: trace, debug, info, warn, error, fatal or silent.',
  },
  FARTHING_MAX_EVENT_BYTES: {
    schema: positiveInteger.default(1_048_576),
    about: 'The largest event, in bytes of its JSON text.',
  },
  FARTHING_MAX_REQUEST_BYTES: {
    schema: positiveInteger.default(16_777_216),
    about: 'The largest intake request, in bytes after decoding.',
  },
  FARTHING_MAX_EVENT_TAGS: {
    schema: positiveInteger.default(100),
    about: 'The most tags an event may carry. A call keeps 256 tags of all its events.',
  },
  FARTHING_MAX_BUFFERED_BYTES: {
    schema: positiveInteger.default(67_108_864),
    about: 'Event bytes that may wait in memory. Beyond that the intake answers 503, unless the journal has them.',
  },
  FARTHING_JOURNAL: {
    schema: z.enum(['on', 'off']).optional(),
    about:
      'Whether events are acknowledged once the journal in the data folder has them, and stored from there. Needs the embedded engine; `on` with it, unless set to `off`.',
  },
  FARTHING_MAX_JOURNAL_BYTES: {
    schema: positiveInteger.default(1_073_741_824),
    about: 'Bytes of the journal that may wait for the store before the intake answers 503.',
  },
  FARTHING_INTAKE_RATE_LIMIT: {
    schema: positiveInteger.optional(),
    about: 'Requests per second that one client may post. Unset: no limit.',
  },
  FARTHING_SEAL_AFTER_SECONDS: {
    schema: z.coerce.number().min(0).max(86_400).default(60),
    about: 'How long a past day must have been unchanged before its calls are rolled up, in seconds.',
  },
  FARTHING_DELETE_FROZEN_AFTER_SECONDS: {
    schema: z.coerce.number().min(0).max(86_400).default(120),
    about:
      'How long after days were frozen (`retention_days`) their events and calls are deleted, in seconds. Running answers may still read them.',
  },
  FARTHING_ALERT_EVERY_SECONDS: {
    schema: z.coerce.number().max(86_400).default(30).refine(isNoneOrSecond, { error: 'must be 0 or at least 1' }),
    about: 'Seconds between looks for alerts at a project with new events; 0: never.',
  },
  FARTHING_METRICS_TOKEN: {
    schema: z.string().min(16, { error: 'must have at least 16 characters' }).optional(),
    about: 'Bearer token that `/metrics` requires. Unset: none.',
  },
  FARTHING_PRICE_CATALOGUE_URL: {
    schema: url('http:', 'https:').default(
      'https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/new_data/v2/data.json',
    ),
    about: 'Where `farthing prices update` fetches newer list prices.',
  },
  FARTHING_LITELLM_PRICES_URL: {
    schema: url('http:', 'https:').default(
      'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json',
    ),
    about: 'Where `farthing prices update --from litellm` fetches LiteLLM’s price file.',
  },
  FARTHING_MODELS_DEV_URL: {
    schema: url('http:', 'https:').default('https://models.dev/api.json'),
    about: 'Where `farthing prices update --from models.dev` fetches that list.',
  },
  FARTHING_PRICE_WATCH: {
    schema: z.enum(['off', 'daily']).default('off'),
    about:
      '`daily` looks at `FARTHING_PRICE_CATALOGUE_URL` for newer list prices once a day, `off` does not. Only `farthing prices update` puts them in force.',
  },
  FARTHING_FURTHER_PRICES: {
    schema: z.enum(['on', 'off']).default('on'),
    about:
      '`on` prices models that the catalogue and its corrections lack by further public lists, which nobody reviewed; `off` leaves their calls without a price.',
  },
  FARTHING_TRUSTED_PROXIES: {
    schema: addressList.optional(),
    about:
      'Addresses or ranges of proxies whose `X-Forwarded-Proto` and `X-Forwarded-Host` are trusted, separated by commas. Needed for sign-in over TLS. Unset: none.',
  },
  FARTHING_PUBLIC_URL: {
    schema: url('http:', 'https:').optional(),
    about:
      'The address at which people open the page, for links in notifications and answers to assistants. Unset: notifications name only its path.',
  },
  FARTHING_SECRETS_KEY: {
    schema: z.string().min(32, { error: 'must have at least 32 characters' }).optional(),
    about:
      'Encrypts the secrets of notification endpoints; the same on all instances. Unset: a key is made and kept in the data folder, mode 0600; with PostgreSQL, webhooks are refused.',
  },
  FARTHING_WEBHOOK_HOSTS: {
    schema: hostList.optional(),
    about:
      'Hosts with private addresses that notifications may be sent to, also over http, separated by commas. Unset: none.',
  },
  FARTHING_OIDC_ISSUER: {
    schema: issuerUrl.optional(),
    about:
      'The OpenID provider that members sign in with, `https://accounts.example.com`; `http:` only on this machine. Needs `FARTHING_PUBLIC_URL`. Unset: members sign in by links.',
  },
  FARTHING_OIDC_CLIENT_ID: {
    schema: z.string().min(1).optional(),
    about: 'The id of this service at the provider.',
  },
  FARTHING_OIDC_CLIENT_SECRET: {
    schema: z.string().min(1).optional(),
    about: 'Its secret there.',
  },
  FARTHING_OIDC_ALLOWED_DOMAINS: {
    schema: domainList.optional(),
    about:
      'Domains of e-mail addresses that may sign in with the provider, separated by commas; they become members without a role. Unset: only invited people.',
  },
  FARTHING_PROVIDER_URLS: {
    schema: providerUrls.optional(),
    about:
      'Other addresses of the APIs that provider accounts are read from, `openai=https://…/v1,anthropic=https://…/v1,openrouter=https://…/api/v1`. Unset: the providers’ own.',
  },
  FARTHING_SMTP_URL: {
    schema: url('smtp:', 'smtps:').optional(),
    about:
      'The server that sends notifications by e-mail, `smtps://user:password@host` or `smtp://host:587`. Unset: none is sent.',
  },
  FARTHING_SMTP_FROM: {
    schema: z
      .string()
      .regex(/^([^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, {
        error: 'must be an address such as Farthing <farthing@example.com>',
      })
      .optional(),
    about: 'The sender of these e-mails. Needed with `FARTHING_SMTP_URL`.',
  },
} as const;

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly intakePort: number | undefined;
  readonly dataDir: string;
  readonly adminToken: string | undefined;
  readonly clickhouseUrl: string | undefined;
  readonly clickhouseCluster: string | undefined;
  readonly clickhouseCaFile: string | undefined;
  readonly postgresUrl: string | undefined;
  readonly engineHost: string;
  readonly enginePort: number;
  readonly engineToken: string | undefined;
  readonly logLevel: string;
  readonly maxEventBytes: number;
  readonly maxRequestBytes: number;
  readonly maxEventTags: number;
  readonly maxBufferedBytes: number;
  readonly hasJournal: boolean;
  readonly maxJournalBytes: number;
  readonly intakeRateLimit: number | undefined;
  /** Milliseconds. */
  readonly sealAfterMs: number;
  /** Milliseconds. */
  readonly deleteFrozenAfterMs: number;
  /** Milliseconds. */
  readonly alertEveryMs: number;
  readonly metricsToken: string | undefined;
  readonly priceCatalogueUrl: string;
  readonly litellmPricesUrl: string;
  readonly modelsDevUrl: string;
  readonly watchesPrices: boolean;
  readonly usesFurtherPrices: boolean;
  readonly trustedProxies: readonly string[] | undefined;
  readonly publicUrl: string | undefined;
  readonly secretsKey: string | undefined;
  readonly webhookHosts: readonly string[];
  readonly providerUrls: Readonly<Record<string, string>>;
  /** The OpenID provider that members sign in with; undefined for links. */
  readonly oidc: OidcSettings | undefined;
  /** The server that sends e-mail, and the sender; undefined where none is sent. */
  readonly mail: { readonly url: string; readonly from: string } | undefined;
}

/** Invalid settings. `faults` has a line for each of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.join('\n')}`,
    );
    this.faults = faults;
  }
}

type Name = keyof typeof environment;
type Values = { [N in Name]: z.output<(typeof environment)[N]['schema']> };

/**
 * Reads the configuration. Only this file reads `process.env`. An empty variable counts as unset.
 * @throws ConfigError with all faults at once, including unknown `FARTHING_…` variables
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const faults: string[] = [];
  const values: Partial<Record<Name, unknown>> = {};
  for (const [name, { schema }] of Object.entries(environment) as [Name, { schema: z.ZodType }][]) {
    const parsed = schema.safeParse(env[name] === '' ? undefined : env[name]);
    if (parsed.success) values[name] = parsed.data;
    else faults.push(...parsed.error.issues.map((issue) => `  ${name}: ${issue.message}`));
  }
  for (const name of Object.keys(env)) {
    if (name.startsWith('FARTHING_') && !(name in environment) && !clientVariables.has(name)) {
      faults.push(`  ${name}: is not a setting of Farthing`);
    }
  }
  for (const name of ['FARTHING_CLICKHOUSE_CLUSTER', 'FARTHING_CLICKHOUSE_CA_FILE'] as const) {
    if (values[name] !== undefined && values.FARTHING_CLICKHOUSE_URL === undefined) {
      faults.push(`  ${name}: needs FARTHING_CLICKHOUSE_URL`);
    }
  }
  if (values.FARTHING_JOURNAL === 'on' && values.FARTHING_CLICKHOUSE_URL !== undefined) {
    faults.push('  FARTHING_JOURNAL: needs the embedded engine; with FARTHING_CLICKHOUSE_URL it must be off or unset');
  }
  if ((values.FARTHING_SMTP_URL === undefined) !== (values.FARTHING_SMTP_FROM === undefined)) {
    faults.push('  FARTHING_SMTP_URL, FARTHING_SMTP_FROM: must both be set or both be unset');
  }
  faults.push(...findOidcFaults(values));
  if (faults.length > 0) throw new ConfigError(faults);

  const read = values as Values;
  return {
    host: read.FARTHING_HOST,
    port: read.FARTHING_PORT,
    intakePort: read.FARTHING_INTAKE_PORT,
    dataDir: read.FARTHING_DATA_DIR,
    adminToken: read.FARTHING_ADMIN_TOKEN,
    clickhouseUrl: read.FARTHING_CLICKHOUSE_URL,
    clickhouseCluster: read.FARTHING_CLICKHOUSE_CLUSTER,
    clickhouseCaFile: read.FARTHING_CLICKHOUSE_CA_FILE,
    postgresUrl: read.FARTHING_POSTGRES_URL,
    engineHost: read.FARTHING_ENGINE_HOST,
    enginePort: read.FARTHING_ENGINE_PORT,
    engineToken: read.FARTHING_ENGINE_TOKEN,
    logLevel: read.FARTHING_LOG_LEVEL,
    maxEventBytes: read.FARTHING_MAX_EVENT_BYTES,
    maxRequestBytes: read.FARTHING_MAX_REQUEST_BYTES,
    maxEventTags: read.FARTHING_MAX_EVENT_TAGS,
    maxBufferedBytes: read.FARTHING_MAX_BUFFERED_BYTES,
    hasJournal: read.FARTHING_CLICKHOUSE_URL === undefined && read.FARTHING_JOURNAL !== 'off',
    maxJournalBytes: read.FARTHING_MAX_JOURNAL_BYTES,
    intakeRateLimit: read.FARTHING_INTAKE_RATE_LIMIT,
    sealAfterMs: read.FARTHING_SEAL_AFTER_SECONDS * 1_000,
    deleteFrozenAfterMs: read.FARTHING_DELETE_FROZEN_AFTER_SECONDS * 1_000,
    alertEveryMs: read.FARTHING_ALERT_EVERY_SECONDS * 1_000,
    metricsToken: read.FARTHING_METRICS_TOKEN,
    priceCatalogueUrl: read.FARTHING_PRICE_CATALOGUE_URL,
    litellmPricesUrl: read.FARTHING_LITELLM_PRICES_URL,
    modelsDevUrl: read.FARTHING_MODELS_DEV_URL,
    watchesPrices: read.FARTHING_PRICE_WATCH === 'daily',
    usesFurtherPrices: read.FARTHING_FURTHER_PRICES === 'on',
    trustedProxies: read.FARTHING_TRUSTED_PROXIES,
    publicUrl: read.FARTHING_PUBLIC_URL,
    secretsKey: read.FARTHING_SECRETS_KEY,
    webhookHosts: read.FARTHING_WEBHOOK_HOSTS ?? [],
    providerUrls: read.FARTHING_PROVIDER_URLS ?? {},
    oidc: toOidc(read),
    mail:
      read.FARTHING_SMTP_URL === undefined || read.FARTHING_SMTP_FROM === undefined
        ? undefined
        : { url: read.FARTHING_SMTP_URL, from: read.FARTHING_SMTP_FROM },
  };
}

/** Variables that only the commands read: the address of the service, and the client's credentials. */
const clientVariables: ReadonlySet<string> = new Set([
  'FARTHING_URL',
  'FARTHING_CLIENT_ID',
  'FARTHING_CLIENT_SECRET',
  'FARTHING_API_KEY',
]);

/** The environment settings that the CLI uses when an option is not given. */
export interface ClientSettings {
  /** The address of the service. */
  readonly url: string;
  readonly adminToken: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly apiKey: string | undefined;
  /** The credentials at Stripe, for `farthing revenue import` and `farthing stripe`. */
  readonly stripeApiKey: string | undefined;
  readonly stripeSigningSecret: string | undefined;
  /** The key of an account at a provider, for `farthing providers`. */
  readonly providerKey: string | undefined;
  /** The data folder of a service on this machine, which may contain its admin token. */
  readonly dataDir: string;
}

/** @throws ConfigError */
export function readClientSettings(env: Readonly<Record<string, string | undefined>> = process.env): ClientSettings {
  const { FARTHING_PORT, FARTHING_DATA_DIR } = environment;
  const servicePort = FARTHING_PORT.schema.safeParse(env.FARTHING_PORT || undefined);
  if (!servicePort.success)
    throw new ConfigError(servicePort.error.issues.map(({ message }) => `  FARTHING_PORT: ${message}`));
  return {
    url: env.FARTHING_URL || `http://127.0.0.1:${servicePort.data}`,
    adminToken: env.FARTHING_ADMIN_TOKEN || undefined,
    clientId: env.FARTHING_CLIENT_ID || undefined,
    clientSecret: env.FARTHING_CLIENT_SECRET || undefined,
    apiKey: env.FARTHING_API_KEY || undefined,
    stripeApiKey: env.STRIPE_API_KEY || undefined,
    stripeSigningSecret: env.STRIPE_SIGNING_SECRET || undefined,
    providerKey: env.PROVIDER_KEY || undefined,
    dataDir: FARTHING_DATA_DIR.schema.parse(env.FARTHING_DATA_DIR || undefined),
  };
}

/** The environment of the embedded engine's process: without the service's settings, which include secrets. */
export const engineEnvironment = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('FARTHING_')));

/** How npm runs this program, where it does: its own command, and the name of the script. */
export const readNpm = ({ npm_command: command, npm_lifecycle_event: script }: NodeJS.ProcessEnv = process.env) => ({
  command,
  script,
});
