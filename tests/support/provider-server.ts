// A local server that speaks the cost and usage interfaces of OpenAI, Anthropic and OpenRouter, over traffic that tests state.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What one group of callers used on a UTC day. */
export interface Traffic {
  readonly day: string;
  readonly model: string;
  readonly key: string;
  readonly workspace: string;
  readonly user: string;
  /** Uncached input. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly requests: number;
}

/** What happens to a request instead of its answer. */
export type Mishap =
  | { readonly status: number; readonly retryAfter?: string }
  | 'cut'
  | 'cut midway'
  | 'no JSON'
  | 'no next page';

/** USD per million tokens of uncached input, cached input and output, in units of 1e-12 USD per token. */
const rates: Readonly<Record<string, readonly [bigint, bigint, bigint]>> = {
  'gpt-4o-2024-08-06': [2_500_000n, 1_250_000n, 10_000_000n],
  'gpt-4o-mini-2024-07-18': [150_000n, 75_000n, 600_000n],
  'claude-sonnet-4-5-20250929': [3_000_000n, 300_000n, 15_000_000n],
  'claude-haiku-4-5-20251001': [1_000_000n, 100_000n, 5_000_000n],
  'openai/gpt-4o-mini': [150_000n, 75_000n, 600_000n],
};
export const modelsOf = {
  openai: ['gpt-4o-2024-08-06', 'gpt-4o-mini-2024-07-18'],
  anthropic: ['claude-sonnet-4-5-20250929', 'claude-haiku-4-5-20251001'],
  openrouter: ['openai/gpt-4o-mini'],
} as const;
export type Kind = keyof typeof modelsOf;

const countsOf = ({ input, cached, output }: Traffic) => [
  ['input', BigInt(input)] as const,
  ['cached input', BigInt(cached)] as const,
  ['output', BigInt(output)] as const,
];

/** What the provider charges for some traffic, by kind of token, in units of 1e-12 USD. */
export const chargesOf = (traffic: Traffic): [what: string, picodollars: bigint][] =>
  countsOf(traffic).map(([what, count], index) => [what, count * (rates[traffic.model]?.[index] ?? 0n)]);

const decimalText = (picodollars: bigint, digits: number): string => {
  const text = String(picodollars).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
};

const sum = <T>(list: readonly T[], of: (one: T) => number): number => list.reduce((total, one) => total + of(one), 0);

export const providerKeys: Readonly<Record<Kind, string>> = {
  openai: 'sk-admin-openai-of-the-tests-0123456789',
  anthropic: 'sk-ant-admin-of-the-tests-0123456789',
  openrouter: 'sk-or-v1-management-of-the-tests-0123456789',
};

/** A row of Claude Code's analytics. */
export interface CodeRow {
  readonly day: string;
  readonly email: string;
  readonly model: string;
  readonly isSubscription: boolean;
  readonly input: number;
  readonly output: number;
}

const toUrls = (port: number): Readonly<Record<Kind, string>> => {
  const url = `http://127.0.0.1:${port}`;
  return { openai: `${url}/openai/v1`, anthropic: `${url}/anthropic/v1`, openrouter: `${url}/openrouter/api/v1` };
};

/** The setting FARTHING_PROVIDER_URLS of a service that asks a `ProviderServer` on this port. */
export const toProviderUrls = (port: number): string =>
  Object.entries(toUrls(port))
    .map(([kind, url]) => `${kind}=${url}`)
    .join(',');

export class ProviderServer {
  readonly traffic: Record<Kind, Traffic[]> = { openai: [], anthropic: [], openrouter: [] };
  code: CodeRow[] = [];
  /** Whether the organization has Claude Code's analytics. */
  hasCode = true;
  /** Each meets one of the next requests. */
  mishaps: (Mishap | undefined)[] = [];
  /** The requests that came, without their keys. */
  asked: string[] = [];
  /** How many buckets a page has at most. */
  bucketsOfPage = 3;
  /** The keys that are valid. */
  keys: Record<Kind, string> = { ...providerKeys };
  url = '';
  readonly #server = createServer((request, response) => this.#answer(request, response));

  /** On a free port, unless it is named. */
  static async start(port = 0): Promise<ProviderServer> {
    const server = new ProviderServer();
    await new Promise<void>((resolve) => server.#server.listen(port, '127.0.0.1', resolve));
    server.#server.unref();
    server.url = `http://127.0.0.1:${server.#port}`;
    return server;
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The setting FARTHING_PROVIDER_URLS. */
  get setting(): string {
    return toProviderUrls(this.#port);
  }

  get urls(): Readonly<Record<Kind, string>> {
    return toUrls(this.#port);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', this.url);
    this.asked.push(`${request.method} ${url.pathname}${url.search}`);
    const [, kind, ...rest] = url.pathname.split('/') as ['', Kind, ...string[]];
    const { authorization, 'x-api-key': apiKey } = request.headers;
    const sent = kind === 'anthropic' ? apiKey : authorization?.replace('Bearer ', '');
    const mishap = this.mishaps.shift();
    if (mishap === 'cut') return void request.socket.destroy();
    if (typeof mishap === 'object') {
      const headers = mishap.retryAfter === undefined ? {} : { 'retry-after': mishap.retryAfter };
      return void response.writeHead(mishap.status, headers).end(`{"error":"about ${sent}"}`);
    }
    if (sent !== this.keys[kind]) return void response.writeHead(401).end(`{"error":"incorrect key ${sent}"}`);
    const page = this.#page(kind, rest.join('/'), url.searchParams);
    if (page === undefined) return void response.writeHead(404).end('{}');
    const body = JSON.stringify(mishap === 'no next page' ? { ...page, has_more: true, next_page: null } : page);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    if (mishap === 'cut midway') {
      response.write(body.slice(0, body.length / 2));
      return void setTimeout(() => request.socket.destroy(), 5);
    }
    response.end(mishap === 'no JSON' ? `<${body.slice(1)}` : body);
  }

  #page(kind: Kind, path: string, query: URLSearchParams): Record<string, unknown> | undefined {
    const groups = query.getAll('group_by[]');
    if (kind === 'openrouter') return path === 'api/v1/activity' ? this.#activity(query) : undefined;
    if (path === 'v1/organizations/usage_report/claude_code') return this.hasCode ? this.#code(query) : undefined;
    const [from, to] =
      kind === 'openai'
        ? [Number(query.get('start_time')) * 1_000, Number(query.get('end_time')) * 1_000]
        : [Date.parse(query.get('starting_at') ?? ''), Date.parse(query.get('ending_at') ?? '')];
    const read = {
      'v1/organization/costs': openAiCosts,
      'v1/organization/usage/completions': openAiUsage,
      'v1/organizations/cost_report': anthropicCosts,
      'v1/organizations/usage_report/messages': anthropicUsage,
    }[path];
    const isOtherUsage = kind === 'openai' && path.startsWith('v1/organization/usage/');
    if ((read === undefined && !isOtherUsage) || !(from < to)) return undefined;
    const days: string[] = [];
    for (let at = from; at < to; at += 86_400_000) days.push(new Date(at).toISOString().slice(0, 10));
    const first = Number(query.get('page')?.replace('page_', '') ?? 0);
    const limit = Math.min(this.bucketsOfPage, Number(query.get('limit')));
    const data = days.slice(first, first + limit).map((day) => {
      const results = read?.(
        this.traffic[kind].filter((one) => one.day === day),
        groups,
      );
      const start = Date.parse(day);
      return kind === 'openai'
        ? { object: 'bucket', start_time: start / 1_000, end_time: start / 1_000 + 86_400, results: results ?? [] }
        : { starting_at: `${day}T00:00:00Z`, ending_at: new Date(start + 86_400_000).toISOString(), results };
    });
    const hasMore = first + limit < days.length;
    return { object: 'page', data, has_more: hasMore, next_page: hasMore ? `page_${first + limit}` : null };
  }

  #code(query: URLSearchParams): Record<string, unknown> {
    const rows = this.code.filter(({ day }) => day === query.get('starting_at'));
    const data = rows.map(({ day, email, model, isSubscription, input, output }) => ({
      date: `${day}T00:00:00Z`,
      actor: { type: 'user_actor', email_address: email },
      organization_id: 'dc9f6c26-b22c-4831-8d01-0446bada88f1',
      customer_type: isSubscription ? 'subscription' : 'api',
      terminal_type: 'vscode',
      core_metrics: { num_sessions: 5 },
      model_breakdown: [
        {
          model,
          tokens: { input, output, cache_read: 0, cache_creation: 0 },
          estimated_cost: { currency: 'USD', amount: 1_025 },
        },
      ],
    }));
    return { data, has_more: false, next_page: null };
  }

  #activity(query: URLSearchParams): Record<string, unknown> {
    const rows = this.traffic.openrouter.filter(({ day }) => day === query.get('date'));
    const data = groupsOf(rows, ({ model, workspace }) => [model, workspace]).map((list) => ({
      date: list[0]?.day,
      model: list[0]?.model,
      model_permaslug: list[0]?.model,
      endpoint_id: 'e1',
      provider_name: 'OpenAI',
      workspace_id: list[0]?.workspace,
      usage: Number(decimalText(charge(list), 12)),
      byok_usage_inference: 0,
      requests: sum(list, ({ requests }) => requests),
      prompt_tokens: sum(list, ({ input, cached }) => input + cached),
      completion_tokens: sum(list, ({ output }) => output),
      reasoning_tokens: 0,
    }));
    return { data };
  }
}

const charge = (list: readonly Traffic[]): bigint =>
  list.flatMap(chargesOf).reduce((total, [, amount]) => total + amount, 0n);

const groupsOf = (list: readonly Traffic[], by: (one: Traffic) => readonly string[]): Traffic[][] => [
  ...Map.groupBy(list, (one) => JSON.stringify(by(one))).values(),
];

type Results = (list: readonly Traffic[], groups: readonly string[]) => Record<string, unknown>[];

const whose = (groups: readonly string[], fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, groups.includes(name) ? value : null]));

const openAiFields = ({ key, workspace, user, model }: Traffic) => ({
  ...{ api_key_id: key, project_id: workspace, user_id: user, model },
});

const openAiUsage: Results = (list, groups) =>
  groupsOf(list, (one) => Object.values(whose(groups, openAiFields(one))).map(String)).flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const group = [first, ...rest];
    return [
      {
        object: 'organization.usage.completions.result',
        input_tokens: sum(group, ({ input, cached }) => input + cached),
        input_cached_tokens: sum(group, ({ cached }) => cached),
        output_tokens: sum(group, ({ output }) => output),
        num_model_requests: sum(group, ({ requests }) => requests),
        ...whose(groups, openAiFields(first)),
        batch: false,
        service_tier: 'default',
      },
    ];
  });

/** Amounts are numbers of dollars. */
const openAiCosts: Results = (list, groups) => {
  const charges = list.flatMap((one) => chargesOf(one).map(([what, amount]) => ({ one, what, amount })));
  const lines = Map.groupBy(charges, ({ one, what }) => JSON.stringify([one.model, what, one.workspace]));
  return [...lines.values()].map((group) => ({
    object: 'organization.costs.result',
    amount: {
      value: Number(
        decimalText(
          group.reduce((total, { amount }) => total + amount, 0n),
          12,
        ),
      ),
      currency: 'usd',
    },
    line_item: `${group[0]?.one.model}, ${group[0]?.what}`,
    ...whose(groups, { project_id: group[0]?.one.workspace ?? '' }),
  }));
};

const anthropicFields = ({ key, workspace, user, model }: Traffic) => ({
  ...{ api_key_id: key, workspace_id: workspace, account_id: user, model },
});

const anthropicUsage: Results = (list, groups) =>
  groupsOf(list, (one) => Object.values(whose(groups, anthropicFields(one))).map(String)).flatMap(
    ([first, ...rest]) => {
      if (first === undefined) return [];
      const group = [first, ...rest];
      return [
        {
          uncached_input_tokens: sum(group, ({ input }) => input),
          cache_read_input_tokens: sum(group, ({ cached }) => cached),
          cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
          output_tokens: sum(group, ({ output }) => output),
          server_tool_use: { web_search_requests: 0 },
          ...whose(groups, anthropicFields(first)),
          service_account_id: null,
          service_tier: 'standard',
          context_window: '0-200k',
          inference_geo: 'not_available',
          speed: 'standard',
        },
      ];
    },
  );

/** Amounts are decimal text in cents. */
const anthropicCosts: Results = (list) => {
  const charges = list.flatMap((one) => chargesOf(one).map(([what, amount]) => ({ one, what, amount })));
  const lines = Map.groupBy(charges, ({ one, what }) => JSON.stringify([one.model, what, one.workspace]));
  return [...lines.values()].map((group) => ({
    currency: 'USD',
    amount: decimalText(
      group.reduce((total, { amount }) => total + amount, 0n),
      10,
    ),
    workspace_id: group[0]?.one.workspace,
    description: `${group[0]?.one.model} Usage - ${group[0]?.what}`,
    cost_type: 'tokens',
    context_window: '0-200k',
    model: group[0]?.one.model,
    service_tier: 'standard',
    token_type: group[0]?.what,
    inference_geo: 'not_available',
  }));
};
