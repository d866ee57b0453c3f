import { readdirSync, readFileSync } from 'node:fs';
import { calcPrice, waitForUpdate } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { toJsonNumber } from '../../src/lib/money.ts';
import { installedCatalogue, openCatalogue } from '../../src/pricing/catalogue.ts';
import {
  type CatalogueModel,
  catalogueData,
  installedData,
  type MatchLogic,
} from '../../src/pricing/catalogue-data.ts';
import { findProvider, rankMatch } from '../../src/pricing/catalogue-match.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import { openBook } from '../../src/pricing/price-book.ts';
import { priceFile, reviewedFolder } from '../../src/pricing/price-file.ts';
import { currentCorrections, reviewedFile } from '../../src/pricing/reviewed-prices.ts';
import { corrections, supplements } from './reviewed.ts';
import { callOf, findEntry, openInstalledCatalogue, usageOf } from './support.ts';

const { providers } = catalogueData.parse(JSON.parse(installedCatalogue().data));

/** Names that an entry's rule surely matches. */
function namesOf(logic: MatchLogic): string[] {
  if ('or' in logic) return logic.or.flatMap(namesOf);
  if ('equals' in logic) return [logic.equals];
  if ('starts_with' in logic) return [`${logic.starts_with}x`];
  return [];
}

/** A catalogue of one provider `acme` with one model `rocket` at these prices. */
function catalogueOf(prices: CatalogueModel['prices']): string {
  const model = { id: 'rocket', match: { equals: 'rocket' }, prices };
  return JSON.stringify({ version: '1', providers: [{ id: 'acme', models: [model] }] });
}

describe('a catalogue (D5.2)', () => {
  it('lists its entries, and knows which models are sold by anybody', () => {
    const catalogue = openCatalogue(catalogueOf({ input_mtok: 1, output_mtok: 2 }));
    expect([...catalogue.listEntries()]).toEqual([
      { provider: 'acme', model: 'rocket', prices: expect.objectContaining({ input_mtok: 1, output_mtok: 2 }) },
    ]);
    expect(['rocket', 'anvil', ''].map((model) => catalogue.hasPriceOf(model))).toEqual([true, false, false]);
    const installed = openInstalledCatalogue();
    expect(installed.hasPriceOf('gpt-4o')).toBe(true);
  });
});

describe('the installed catalogue (D5.2)', () => {
  it('is JSON text named by its hash and by the version of its data', () => {
    const { data, hash, version, date } = installedCatalogue();
    expect(installedCatalogue()).toEqual({ data, hash, version, date });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(JSON.parse(data).version).toBe(version);
    expect(openCatalogue(data).version).toBe(version);
    // No start checks it.
    const { date: day, ...checked } = installedData.parse(JSON.parse(readFileSync(priceFile('genai-prices'), 'utf8')));
    expect([JSON.stringify(checked), day]).toEqual([data, date]);
  });

  it('prices every model of a release as its package does, to the precision of floats', async () => {
    const released = catalogueData.parse({ version: '1', providers: await waitForUpdate() });
    const book = openBook({ overrides: [] }, openCatalogue(JSON.stringify(released)));
    const usage = usageOf({ input: 150_000, cacheRead: 70_001, output: 1234 });
    const time = Date.parse('2026-11-04T06:30:00Z');
    const counts = { input_tokens: 220_001, cache_read_tokens: 70_001, output_tokens: 1234 };
    let compared = 0;
    for (const provider of released.providers) {
      for (const name of provider.models.flatMap(({ match }) => namesOf(match))) {
        // The package gives a fine-tuned model its base's price, which nobody charges.
        if (name.startsWith('ft:gpt-4-0')) continue;
        const theirs = calcPrice(counts, name, { providerId: provider.id, timestamp: new Date(time) });
        const ours = calcCost(callOf({ provider: provider.id, model: name, time, usage }), book);
        if (ours.unpricedReason === 'no_token_price') continue;
        const where = `${provider.id} ${name}`;
        expect([where, ours.source]).toEqual([where, theirs === null ? 'unpriced' : 'catalogue']);
        expect(Math.abs(toJsonNumber(ours.cost) - (theirs?.total_price ?? 0)), where).toBeLessThan(1e-9);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(1500);
  });
});

describe('a stored catalogue (D5.7)', () => {
  it('prices from its own data, not from the installed one', () => {
    const opened = openCatalogue(catalogueOf({ input_mtok: 7, output_mtok: 9 }));
    const cost = calcCost(callOf({ provider: 'acme', model: 'rocket' }), openBook({ overrides: [] }, opened));
    expect(cost.lines.map((line) => 'tokens' in line && line.ratePerMtok)).toEqual(['7', '9']);
    expect(calcCost(callOf(), openBook({ overrides: [] }, opened)).unpricedReason).toBe('unknown_provider');
  });

  it('is refused when it is not of the format', () => {
    for (const text of [
      '',
      '{}',
      '[]',
      catalogueOf({ input_mtok: -1 }),
      catalogueOf({ input_mtok: 1 }).replace('equals', 'like'),
    ]) {
      expect(() => openCatalogue(text)).toThrow();
    }
    const badRegex = catalogueOf({ input_mtok: 1 }).replace('"equals":"rocket"', '"regex":"("');
    expect(() => openCatalogue(badRegex)).toThrow('not a regular expression');
  });

  it('has each rate as the decimal that was meant', () => {
    const opened = openCatalogue(catalogueOf({ input_mtok: 0.18000000000000002, output_mtok: 1e-7 }));
    const cost = calcCost(callOf({ provider: 'acme', model: 'rocket' }), openBook({ overrides: [] }, opened));
    expect(cost.lines.map((line) => 'tokens' in line && line.ratePerMtok)).toEqual(['0.18', '0.0000001']);
  });

  const tiers = {
    input_mtok: {
      base: 1,
      tiers: [
        { start: 1000, price: 3 },
        { start: 100, price: 2 },
      ],
    },
    output_mtok: { base: 1, tiers: [{ start: 500, price: 5 }] },
  };
  for (const [input, rates] of [
    [100, ['1', '1']],
    [101, ['2', '1']],
    [501, ['2', '5']],
    [1001, ['3', '5']],
  ] as const) {
    it(`prices a prompt of ${input} tokens at ${rates.join(' and ')}`, () => {
      const book = openBook({ overrides: [] }, openCatalogue(catalogueOf(tiers)));
      const usage = usageOf({ input: input - 10, cacheRead: 10, output: 1 });
      const { lines } = calcCost(callOf({ provider: 'acme', model: 'rocket', usage }), book);
      expect(
        lines.flatMap((line) => ('tokens' in line && line.bucket !== 'cacheRead' ? [line.ratePerMtok] : [])),
      ).toEqual(rates);
    });
  }

  const dated: CatalogueModel['prices'] = [
    { prices: { input_mtok: 1 } },
    { constraint: { start_date: '2026-02-01' }, prices: { input_mtok: 2 } },
    { constraint: { start_date: '2026-03-01T12:00:00Z' }, prices: { input_mtok: 3 } },
    { constraint: { start_time: '22:00:00Z', end_time: '02:00:00Z' }, prices: { input_mtok: 4 } },
    {
      constraint: { start_date: '2026-04-01', start_time: '08:00:00Z', end_time: '09:00:00Z', weekdays: [6] },
      prices: { input_mtok: 5 },
    },
  ];
  const instants: [at: string, rate: string][] = [
    ['2026-01-31T12:00:00Z', '1'],
    ['2026-02-01T02:00:00Z', '2'],
    ['2026-03-01T11:59:59.999Z', '2'],
    ['2026-03-01T12:00:00Z', '3'],
    ['2026-03-01T22:00:00Z', '4'],
    ['2026-01-31T01:59:59.999Z', '4'],
    ['1969-12-31T12:00:00Z', '1'],
    ['2026-04-04T08:30:00Z', '5'],
    ['2026-04-04T09:00:00Z', '3'],
    ['2026-04-05T08:30:00Z', '3'],
    ['2026-03-28T08:30:00Z', '3'],
  ];
  for (const [at, rate] of instants) {
    it(`prices a call at ${at} at ${rate}`, () => {
      const book = openBook({ overrides: [] }, openCatalogue(catalogueOf(dated)));
      const call = callOf({ provider: 'acme', model: 'rocket', time: Date.parse(at), usage: usageOf({ input: 1 }) });
      expect(calcCost(call, book).lines).toMatchObject([{ ratePerMtok: rate }]);
    });
  }
});

describe('the provider of a model (D4.4)', () => {
  const catalogue = openInstalledCatalogue();
  const makers: [model: string, provider: string][] = [
    ['gpt-4o', 'openai'],
    ['GPT-4o', 'openai'],
    ['o3-mini', 'openai'],
    ['ft:gpt-4o-2024-08-06:acme::x', 'openai'],
    ['claude-sonnet-4-5', 'anthropic'],
    ['models/gemini-2.5-flash', 'google'],
    ['mistral-large-latest', 'mistral'],
    ['deepseek-chat', 'deepseek'],
    ['grok-4', 'x-ai'],
    ['command-r-plus', 'cohere'],
    ['amazon.nova-pro-v1:0', 'aws'],
    ['eu.anthropic.claude-sonnet-4-20250514-v1:0', 'aws'],
    ['arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0', 'aws'],
    ['openai/gpt-4o', 'openai'],
    ['my-own-model', ''],
    ['', ''],
    ['__proto__', ''],
  ];
  for (const [model, provider] of makers) {
    it(`is ${provider || 'unknown'} for ${model || 'no model'}`, () => {
      expect(catalogue.deriveProvider(model)).toBe(provider);
      expect(catalogue.deriveProvider(model)).toBe(provider);
    });
  }
});

describe('the provider that a name means', () => {
  const names: [id: string, ...names: string[]][] = [
    ['azure', 'az.ai.inference', 'az.ai.openai', 'azure-openai', 'azure.chat'],
    ['aws', 'bedrock', 'anthropic_bedrock'],
    ['fireworks', 'fireworks_ai', 'fireworks-ai', 'fireworks.ai'],
    ['google', 'gcp.gen_ai', 'google.vertex.chat'],
    ['perplexity', 'perplexity-ai', 'perplexity_ai'],
    ['together', 'togetherai', 'together.ai'],
    ['x-ai', 'grok', 'x_ai', 'x.ai', 'xai.chat'],
    ['zai', 'z.ai', 'z-ai'],
  ];
  it.each(names)('is %s for its other names', (id, ...others) => {
    expect(others.map((name) => findProvider(providers, name)?.id)).toEqual(others.map(() => id));
  });

  it('is one provider in each place of the table of names', () => {
    const table: Record<string, Record<string, string[]>> = JSON.parse(
      readFileSync(priceFile('provider-names'), 'utf8'),
    );
    for (const place of ['spans', 'events', 'litellm', 'lists']) {
      const called = Object.values(table).flatMap((provider) => provider[place] ?? []);
      expect(called, place).toEqual([...new Set(called.map((name) => name.toLowerCase()))]);
    }
  });
});

describe('the entry of a provider and a model', () => {
  const catalogue = openInstalledCatalogue();
  const lookups: [provider: string, model: string, entry: string][] = [
    ['openai', 'gpt-4o-20240806', 'openai gpt-4o'],
    ['OpenAI ', ' GPT-4o', 'openai gpt-4o'],
    ['openai', 'openai/gpt-4o', 'openai gpt-4o'],
    ['azure-openai', 'gpt-4o', 'openai gpt-4o'],
    ['azure_openai', 'o1', 'azure o1'],
    ['az.ai.openai', 'o1', 'azure o1'],
    ['vertex_ai', 'gemini-2.5-pro', 'google gemini-2.5-pro'],
    ['google', 'projects/p/locations/l/publishers/google/models/gemini-2.5-pro', 'google gemini-2.5-pro'],
    ['xai', 'grok-3', 'x-ai grok-3'],
    ['x_ai', 'grok-3', 'x-ai grok-3'],
    ['togetherai', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', 'together meta-llama/Llama-3.3-70B-Instruct-Turbo'],
    ['fireworks_ai', 'accounts/fireworks/models/gpt-oss-120b', 'fireworks gpt-oss-120b'],
    ['openrouter', 'anthropic/claude-sonnet-4', 'openrouter anthropic/claude-sonnet-4'],
    ['', 'anthropic/claude-sonnet-4-5', 'anthropic claude-sonnet-4-5'],
    ['litellm', 'mistral/mistral-large-2411', 'mistral mistral-large'],
    ['openai', 'anthropic/claude-sonnet-4-5', 'unknown_model'],
    ['ollama', 'mistral-small-latest', 'unknown_provider'],
    ['ollama', 'openai/gpt-4o', 'unknown_provider'],
    ['__proto__', 'gpt-4o', 'unknown_provider'],
    ['openai', '__proto__', 'unknown_model'],
    ['', 'my-own-model', 'unknown_model'],
    ['openai', '', 'no_model'],
  ];
  for (const [provider, model, expected] of lookups) {
    it(`is ${expected} for (${provider}, ${model})`, () => {
      const entry = findEntry(catalogue, provider, model);
      expect(typeof entry === 'string' ? entry : `${entry.provider} ${entry.id}`).toBe(expected);
      expect(findEntry(catalogue, provider, model)).toBe(entry);
    });
  }

  it('is told apart for every split of the same letters', () => {
    expect(findEntry(catalogue, 'openai', 'gpt-4o')).not.toBe(findEntry(catalogue, 'openaig', 'pt-4o'));
    expect(findEntry(catalogue, 'ollama', 'gpt-4o')).not.toBe(findEntry(catalogue, '', 'ollamagpt-4o'));
  });
});

/** A name that the correction is for, where its id is none. */
const correctedNames: Readonly<Record<string, string>> = {
  'gemini-3-flash-variants': 'gemini-3.8-flash-live',
  'gpt-5-search-api': 'gpt-5-search-api-2025-10-14',
  'gpt-4o-mini-transcribe': 'gpt-4o-mini-transcribe-2025-12-15',
  'gpt-4o-mini-tts': 'gpt-4o-mini-tts-2025-12-15',
  'grok-4.20': 'grok-4.20-reasoning',
};

describe('the corrections', () => {
  const packagedCatalogue = openCatalogue(installedCatalogue().data);
  const correctedCatalogue = openInstalledCatalogue();
  const nameOf = ({ id, match }: CatalogueModel) =>
    correctedNames[id] ?? namesOf(match)[0] ?? id.replace(/^regional\./, '');

  it('are files of one form, each item with its page and its day, and a wrong field is named', () => {
    const files = readdirSync(reviewedFolder);
    expect(files.length).toBeGreaterThan(10);
    for (const name of files) {
      const file = JSON.parse(readFileSync(new URL(name, reviewedFolder), 'utf8'));
      expect(reviewedFile.safeParse(file).error?.issues ?? [], name).toEqual([]);
      expect(`${file.provider}.json`).toBe(name);
    }
    const page = { source: 'https://example.com', checkedOn: '2026-11-01' };
    const faultsOf = (items: object) =>
      JSON.stringify(reviewedFile.safeParse({ provider: 'openai', ...items }).error?.issues);
    const model = { id: 'm', match: { equals: 'm' }, prices: { input_mtok: 1 }, price: 1 };
    const faults = faultsOf({ corrections: [{ ...page, reason: 'stale', model, day: '' }] });
    for (const key of ['price', 'day']) expect(faults).toContain(`Unrecognized key: \\"${key}\\"`);
    expect(faultsOf({ supplements: [{ ...page, when: { service_tier: 'nowhere' } }] })).toContain(
      'there is no set nowhere',
    );
  });

  it('stand in the place of what the catalogue has, each with its page', () => {
    for (const { provider, source, model } of corrections) {
      const packaged = findEntry(packagedCatalogue, provider, nameOf(model));
      const corrected = findEntry(correctedCatalogue, provider, nameOf(model));
      if (typeof packaged !== 'string') expect(packaged.correctionSource).toBeNull();
      expect(corrected, model.id).toMatchObject({ provider, id: model.id, correctionSource: source });
    }
  });

  it('are needed: each changes the price of a token at some time, or gives one to what had none', () => {
    const packaged = openBook({ overrides: [] }, packagedCatalogue);
    const corrected = openBook({ overrides: [] }, correctedCatalogue);
    const times = [
      '2024-12-01',
      '2025-05-01',
      '2025-08-01',
      '2026-01-01',
      '2026-07-09',
      '2026-08-16',
      '2026-11-01',
      '2026-11-27',
    ].map((day) => Date.parse(`${day}T07:00:00Z`));
    const text = { input: 1000, output: 1000 };
    const cached = { cacheRead: 1000, cacheWrite: 1000, cacheWrite1h: 1000 };
    const usages = [
      { input: 1000 },
      text,
      { ...text, ...cached },
      { ...text, inputAudio: 1000, outputAudio: 1000 },
      { input: 300_000, output: 1000 },
    ].map(usageOf);
    for (const { provider, model } of corrections) {
      const isNeeded = times.some((time) =>
        usages.some((usage) => {
          const call = callOf({ provider, model: nameOf(model), time, usage });
          const [before, after] = [calcCost(call, packaged), calcCost(call, corrected)];
          return before.cost !== after.cost || before.unpricedReason !== after.unpricedReason;
        }),
      );
      expect(isNeeded, `${provider} ${model.id}`).toBe(true);
    }
  });

  it('hide no price of the catalogue where they have none themselves', () => {
    const unpriced = corrections.filter(({ model }) => !JSON.stringify(model.prices).includes('mtok'));
    const hidden = unpriced.flatMap(({ provider, model: { match } }) =>
      (providers.find(({ id }) => id === provider)?.models ?? [])
        .flatMap((model) => namesOf(model.match))
        .filter((name) => rankMatch(match, name) !== null),
    );
    expect(hidden).toEqual([]);
    expect(unpriced).not.toEqual([]);
  });

  it('name what was looked up, when and why, one for each of a provider’s entries', () => {
    const names = corrections.map(({ provider, model }) => `${provider} ${nameOf(model)}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { checkedOn, reason } of corrections) {
      expect(checkedOn).toMatch(/^2026-/);
      expect(reason).toMatch(/^[A-Z].*\.$/s);
    }
  });

  it('are stored as text named by its hash, which a catalogue opens with', () => {
    const { data, hash } = currentCorrections();
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.parse(data)).toEqual([...corrections, ...supplements]);
    expect(() => openCatalogue(installedCatalogue().data, '[{}]')).toThrow();
    const misspelt = data.replace('"checkedOn"', '"checked_on"');
    expect(() => openCatalogue(installedCatalogue().data, misspelt)).toThrow();
  });

  it('reach the providers that resell the model', () => {
    expect(findEntry(openInstalledCatalogue(), 'azure', 'gpt-4o-audio-preview')).toMatchObject({
      provider: 'openai',
      correctionSource: 'https://developers.openai.com/api/docs/models/gpt-4o-audio-preview',
    });
  });
});
