import { Command, InvalidArgumentError, Option } from 'commander';
import type { ModelPriceWire } from '../pricing/books/model-price-route.ts';
import type { PriceWire } from '../pricing/books/routes.ts';
import type { AppliedUpdate } from '../pricing/check/catalogue-update-routes.ts';
import { AdminApi, type AdminOptions, pathStep, toQuery } from './api.ts';
import { parseJsonFile } from './files.ts';
import { addPriceCheck } from './price-check.ts';
import { orDash, printDone, printJson, printTable, toCount } from './print.ts';
import { adminCommandsOf, openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';
import { addReprice } from './reprice.ts';

const rateFields = {
  input: 'input_per_mtok',
  output: 'output_per_mtok',
  cacheRead: 'cache_read_per_mtok',
  cacheWrite: 'cache_write_per_mtok',
  inputAudio: 'input_audio_per_mtok',
  outputAudio: 'output_audio_per_mtok',
  reasoning: 'reasoning_per_mtok',
  perRequest: 'per_request',
} as const;

const furtherRates = Object.values(rateFields).filter(
  (field) => field !== 'input_per_mtok' && field !== 'output_per_mtok',
);

interface SetOptions extends ProjectOptions, Readonly<Partial<Record<keyof typeof rateFields, string>>> {
  readonly provider?: string;
  readonly serviceTier?: string;
  readonly term?: Named;
  readonly unit?: Named;
  readonly from?: string;
  readonly to?: string;
}

/** Options of the form `name=value`. */
type Named = Readonly<Record<string, string>>;

function collectNamed(text: string, others: Named = {}): Named {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.');
  return { ...others, [name]: value };
}

export function pricesCommand(): Command {
  const prices = new Command('prices').description(
    'Show and set prices of models, reprice past days, and fetch and check list prices.',
  );
  const command = projectCommandsOf(prices);
  const adminCommand = adminCommandsOf(prices);
  command(
    'list',
    'List the price overrides of a project. Other models have their list price.',
    'farthing prices list',
    { isDefault: true },
  ).action(listPrices);
  command(
    'explain <model>',
    'Show the price of a model and where it comes from.',
    'farthing prices explain gpt-4o --at 2026-03-12',
  )
    .option('--provider <name>', 'the provider (default: the maker of the model)')
    .option('--service-tier <name>', 'the service tier')
    .option('--term <name=value>', 'a further term, such as geo=us; may be repeated', collectNamed)
    .option('--at <time>', 'the day or time of the call (default: now)')
    .action(explainPrice);
  command(
    'set <model>',
    'Add a price override, in USD per million tokens. It prices calls from now on.',
    'farthing prices set "house-llm*" --input 0.5 --output 1.5',
  )
    .requiredOption('--input <usd>', 'input tokens')
    .requiredOption('--output <usd>', 'output tokens')
    .option('--cache-read <usd>', 'tokens read from the cache (default: same as input)')
    .option('--cache-write <usd>', 'tokens written to the cache (default: same as input)')
    .option('--input-audio <usd>', 'audio tokens sent (default: same as input)')
    .option('--output-audio <usd>', 'audio tokens received (default: same as output)')
    .option('--reasoning <usd>', 'reasoning tokens (default: same as output)')
    .option('--per-request <usd>', 'USD per call (default: none)')
    .option('--provider <name>', 'only calls of this provider')
    .option('--unit <name=usd>', 'USD for one of a unit, such as web_searches=0.01; may be repeated', collectNamed)
    .option('--service-tier <name>', 'only calls of this service tier')
    .option('--term <name=value>', 'only calls with this term, such as geo=us; may be repeated', collectNamed)
    .option('--from <day>', 'the first day')
    .option('--to <day>', 'the last day')
    .action(setPrice);
  command(
    'delete <id>',
    'Delete a price override. Calls that it priced keep their costs.',
    'farthing prices delete prc_…',
  ).action(deletePrice);
  addReprice(prices);
  addPriceCheck(prices);
  adminCommand(
    'update [file]',
    'Fetch newer list prices, or take them from a file. They price calls from now on, in every project.',
    'farthing prices update --from litellm',
  )
    .addOption(
      new Option('--from <list>', 'the list: the catalogue’s data, or a further list')
        .choices(['genai-prices', 'litellm', 'models.dev'])
        .default('genai-prices'),
    )
    .action(updateCatalogue);
  return prices;
}

async function listPrices(options: ProjectOptions): Promise<void> {
  const { api } = await openProject(options);
  const answer = await api.get<{ prices: readonly PriceWire[] }>('/api/prices/');
  if (options.json) printJson(answer);
  else printPrices(answer.prices);
}

function printPrices(prices: readonly PriceWire[]): void {
  printTable(
    ['id', 'model', 'provider', 'terms', 'from', 'to', 'input', 'output', 'others'],
    prices.map((price) => [
      price.id,
      price.model,
      orDash(price.provider),
      orDash(Object.values(price.terms).join(', ')),
      orDash(price.effective_from),
      orDash(price.effective_to),
      String(price.input_per_mtok),
      String(price.output_per_mtok),
      [
        ...furtherRates.flatMap((field) =>
          (price[field] ?? null) === null ? [] : [`${field.replace('_per_mtok', '')} ${price[field]}`],
        ),
        ...Object.entries(price.units).map(([unit, usd]) => `${unit} ${usd}`),
      ].join(', '),
    ]),
  );
}

interface ExplainOptions extends ProjectOptions {
  readonly provider?: string;
  readonly serviceTier?: string;
  readonly term?: Named;
  readonly at?: string;
}

async function explainPrice(model: string, options: ExplainOptions): Promise<void> {
  const { api } = await openProject(options);
  const { provider, serviceTier, term, at } = options;
  const query = toQuery({ provider, service_tier: serviceTier, ...term, at });
  const price = await api.get<ModelPriceWire>(`/api/models/${pathStep(model)}/price/?${query}`);
  if (options.json) return printJson(price);
  const { source, rates, tiers, partly_priced: unknown, assumed_rates } = price;
  const assumed: ReadonlySet<string> = new Set(assumed_rates);
  const described = source === null ? 'only units have a price' : describeSource(source);
  console.log(`${price.model}${price.provider && ` of ${price.provider}`} at ${price.at}: ${described}`);
  if (unknown.length > 0) console.log(`No price is known for ${unknown.join(', ')}: the rates leave it out.`);
  const columns = [rates, ...tiers.map((tier) => tier.rates)];
  const cell = (rate: number | null | undefined) => ((rate ?? null) === null ? '–' : String(rate));
  printTable(
    ['USD per million', '', ...tiers.map((tier) => `prompt above ${toCount(tier.above_input_tokens)}`)],
    Object.keys(rates.per_mtok).map((bucket) => [
      assumed.has(bucket) ? `${bucket} (assumed)` : bucket,
      ...columns.map(({ per_mtok }) => cell(per_mtok[bucket])),
    ]),
  );
  if (columns.some(({ per_request }) => per_request !== null)) {
    console.log(`USD per call: ${columns.map(({ per_request }) => cell(per_request)).join(', ')}`);
  }
  if (price.term_prices.length > 0) {
    printTable(
      ['terms', 'rates', 'source'],
      price.term_prices.map(({ when, factor, source: of }) => [
        describeWhen(when),
        factor === null ? 'of their own' : `× ${factor}`,
        describeSource(of),
      ]),
    );
  }
  if (price.units.length > 0) {
    printTable(
      ['USD per one', '', 'terms', 'source'],
      price.units.map(({ unit, rate_per_unit, when, source: of }) => [
        unit,
        String(rate_per_unit),
        describeWhen(when),
        describeSource(of),
      ]),
    );
  }
}

const describeWhen = (when: ModelPriceWire['units'][number]['when']): string =>
  Object.entries(when)
    .map(([name, values]) => `${name}: ${values.join(', ')}`)
    .join('; ');

function describeSource(source: NonNullable<ModelPriceWire['source']>): string {
  if (source.kind === 'supplement') return `${source.page}, read on ${source.checked_on}`;
  if (source.kind === 'override') return `price override ${source.override_id}`;
  if (source.kind === 'further_list') {
    return `further list ${source.list} ${source.version}, not reviewed, entry ${source.provider}/${source.entry}`;
  }
  const corrected = source.correction_source === null ? '' : `, corrected by ${source.correction_source}`;
  return `catalogue ${source.version}, entry ${source.provider}/${source.entry}${corrected}`;
}

async function setPrice(model: string, options: SetOptions): Promise<void> {
  const { api } = await openProject(options);
  const names = Object.keys(rateFields) as (keyof typeof rateFields)[];
  const price = await api.post<PriceWire>('/api/prices/', {
    model,
    provider: options.provider ?? null,
    service_tier: options.serviceTier ?? null,
    terms: options.term ?? {},
    units: options.unit ?? {},
    effective_from: options.from ?? null,
    effective_to: options.to ?? null,
    ...Object.fromEntries(names.map((name) => [rateFields[name], options[name] ?? null])),
  });
  if (options.json) printJson(price);
  else printPrices([price]);
}

async function deletePrice(id: string, options: ProjectOptions): Promise<void> {
  const { api } = await openProject(options);
  await api.delete(`/api/prices/${pathStep(id)}/`);
  printDone(options, `Deleted ${id}.`);
}

async function updateCatalogue(file: string | undefined, options: AdminOptions & { from: string }): Promise<void> {
  const { from } = options;
  const given = file === undefined ? undefined : parseJsonFile(file);
  const update = await new AdminApi(options).post<AppliedUpdate>('/admin/prices/update/', { from, file: given });
  if (options.json) return printJson(update);
  const { version, providers, models, changed, changes } = update;
  const list = update.further_lists.find((one) => one.list === from);
  const what =
    from === 'genai-prices'
      ? `version ${version}, ${toCount(models)} models of ${providers} providers.`
      : list === undefined
        ? `${from} is stored, and not used: FARTHING_FURTHER_PRICES is off.`
        : `${from} of ${list.date}.`;
  console.log(`${changed ? 'New prices are in force' : 'The prices are already up to date'}: ${what}`);
  if (!changed) return;
  if (changes.length === 0) return console.log('No model called in the last 30 days has another price.');
  console.log('These models called in the last 30 days have another price:');
  printTable(
    ['Provider', 'Model', 'Rate', 'Before', 'Now'],
    changes.flatMap(({ provider, model, rates }) =>
      rates.map(({ rate, before, after }) => [
        provider,
        model,
        rate,
        orDash(before?.toString()),
        orDash(after?.toString()),
      ]),
    ),
  );
}
