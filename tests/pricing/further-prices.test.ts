import { describe, expect, it } from 'vitest';
import { noTerms } from '../../src/lib/units.ts';
import { installedCatalogue, openCatalogue } from '../../src/pricing/catalogue.ts';
import { type CataloguePrices, catalogueData, type MatchLogic } from '../../src/pricing/catalogue-data.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import type { FurtherList } from '../../src/pricing/further-list.ts';
import { installedLists } from '../../src/pricing/lists/installed-lists.ts';
import { resolveModelPrice } from '../../src/pricing/model-price.ts';
import { currentCorrections } from '../../src/pricing/reviewed-prices.ts';
import { callOf, openBookWithLists, openInstalledBook, usageOf } from './support.ts';

const lists = await installedLists();
const book = await openBookWithLists();
const time = Date.parse('2026-11-26T12:00:00Z');

const priceOf = (provider: string, model: string) =>
  resolveModelPrice({ provider, model, terms: noTerms, time, day: '2026-11-26' }, book);

/** Where the price of a model comes from: of its tokens, or of its units. */
function sourceOf(provider: string, model: string): string {
  const price = priceOf(provider, model);
  if ('unpricedReason' in price) return price.unpricedReason;
  return price.source?.kind ?? price.units[0]?.source.kind ?? 'no source';
}

/** Names that an entry's rule surely matches. */
function namesOf(logic: MatchLogic): string[] {
  if ('or' in logic) return logic.or.flatMap(namesOf);
  return 'equals' in logic ? [logic.equals] : [];
}

const priced = ['catalogue', 'supplement', 'further_list'];

describe('the price of every name of every list in the tree (D27.1)', () => {
  for (const { list, version, entries } of lists) {
    it(`${list} ${version}: has a source`, () => {
      const sources = entries.map(([seller, model]) => [seller, model, sourceOf(seller, model)] as const);
      expect(sources.filter(([, , source]) => !priced.includes(source))).toEqual([]);
      expect(entries.length).toBeGreaterThan(100);
    });
  }

  it('the catalogue: has a source', () => {
    const { providers } = catalogueData.parse(JSON.parse(installedCatalogue().data));
    const names = providers.flatMap(({ id, models }) =>
      models.flatMap((model) => [model.id, ...namesOf(model.match)].map((name) => [id, name] as const)),
    );
    const unpriced = names.filter(
      ([provider, name]) => !priced.includes(sourceOf(provider, name)) && !name.startsWith('ft:gpt-4-0'),
    );
    expect(unpriced).toEqual([]);
    expect(names.length).toBeGreaterThan(2_000);
  });
});

describe('a price from a further list (D27.1)', () => {
  it('says which list, version and entry it is from, and so does each line of a call', () => {
    const price = priceOf('dashscope', 'qwen3.8-max');
    const source = { kind: 'further_list', list: 'litellm', provider: 'dashscope', entry: 'qwen3.8-max' };
    expect(price).toMatchObject({ source });
    const usage = usageOf({ input: 1_000, output: 200 });
    const cost = calcCost(callOf({ provider: 'alibaba', model: 'qwen3.8-max', time, usage }), book);
    expect(cost).toMatchObject({ cost: 3_200_000_000n, source: 'further_list' });
    expect(cost.lines.map((line) => line.source)).toMatchObject([source, source]);
  });

  it('comes after the catalogue and its corrections, which lists cannot change', () => {
    const reviewed = openInstalledBook();
    for (const [provider, model] of [
      ['openai', 'gpt-4o'],
      ['anthropic', 'claude-opus-5-5'],
      ['google', 'gemini-3.8-flash'],
      ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ] as const) {
      const subject = { provider, model, terms: noTerms, time, day: '2026-11-26' };
      expect(resolveModelPrice(subject, book)).toEqual(resolveModelPrice(subject, reviewed));
    }
  });

  it('is left out of books without further lists: such calls are unpriced', () => {
    const usage = usageOf({ input: 1_000, output: 200 });
    const call = callOf({ provider: 'dashscope', model: 'qwen3.8-max', time, usage });
    expect(calcCost(call, openInstalledBook())).toMatchObject({
      source: 'unpriced',
      unpricedReason: 'unknown_provider',
    });
  });

  it('is that of the seller whom the prefix names, through a gateway or without a provider', () => {
    for (const [provider, model] of [
      ['', 'dashscope/qwen3.8-max'],
      ['', 'qwen3.8-max'],
      ['litellm', 'dashscope/qwen3.8-max'],
      ['DashScope', 'Qwen3.8-Max'],
      ['alibaba', 'alibaba/qwen3.8-max'],
    ] as const) {
      expect(priceOf(provider, model), `${provider} ${model}`).toMatchObject({ rates: { perMtok: { input: '2' } } });
    }
    expect(priceOf('gateway', 'openai/gpt-5.6-sol')).toMatchObject({
      rates: { perMtok: { input: '4', output: '20' } },
    });
  });

  it('is that of the maker of a name without a provider or seller that only the maker uses', () => {
    const names = [
      'jamba-large-1.7',
      'jina-reranker-m0',
      'rerank-v5.0-pro',
      'text-embedding-005',
      'multimodalembedding',
    ];
    const makers = ['ai21', 'jina-ai', 'cohere', 'google', 'google'];
    expect(names.map((name) => book.catalogue.deriveProvider(name))).toEqual(makers);
    for (const name of names) expect(priced, name).toContain(sourceOf('', name));
  });

  it('is that of the region in the name on the list, and no other price of a region changes it', () => {
    const usage = usageOf({ input: 1_000, output: 200 });
    const call = { provider: 'bedrock', time, usage, model: 'bedrock/us-gov-west-1/amazon.nova-pro-v1:0' };
    const cost = calcCost(callOf({ ...call, terms: { geo: 'us-gov-west-1' } }), book);
    // 0.96 and 3.84 dollars for a million.
    expect(cost).toMatchObject({ cost: 1_728_000_000n, partlyPriced: [], source: 'further_list' });
    expect(sourceOf('', 'zai.glm-5')).toBe('further_list');
  });

  it('is of fast mode where a seller names it as a model, once', () => {
    const usage = usageOf({ input: 1_000, output: 200 });
    for (const provider of ['', 'vercel', 'openrouter', 'github_copilot', 'anthropic']) {
      const model = `${provider === 'github_copilot' ? '' : 'anthropic/'}claude-opus-4.8-fast`;
      const cost = calcCost(callOf({ provider, model, time, usage }), book);
      // 10 and 50 dollars for a million.
      expect(cost, provider).toMatchObject({ cost: 20_000_000_000n, partlyPriced: [] });
    }
  });

  it('is that of Vertex for an open model that is free in the Gemini API alone', () => {
    const model = 'gemma-4-26b-a4b-it';
    const names = [
      ['vertex_ai', model],
      ['', `vertex_ai/${model}`],
      ['google', `publishers/google/models/${model}`],
    ] as const;
    for (const [provider, name] of names)
      expect(priceOf(provider, name), name).toMatchObject({ rates: { perMtok: { input: '0.15', output: '0.6' } } });
    expect(sourceOf('google', model)).toBe('catalogue');
  });

  it('prices what is sold by the piece', () => {
    expect(sourceOf('fal_ai', 'bria/text-to-image/3.2')).toBe('further_list');
    expect(priceOf('fal_ai', 'bria/text-to-image/3.2')).toMatchObject({ units: [{ unit: 'images' }] });
  });

  it('is never a vendor’s for models on one’s own machines', () => {
    for (const [provider, model] of [
      ['ollama', 'deepseek-r1:14b'],
      ['', 'deepseek-r1:14b'],
      ['openai', 'deepseek-r1:14b'],
      ['deepseek', 'deepseek-r1:671b'],
      ['', 'ollama/llama3.3:70b-instruct-q4_K_M'],
      ['openai', 'gpt-oss:120b'],
      ['', 'qwen3-vl:latest'],
      ['ollama', 'qwen-plus'],
      ['vllm', 'Qwen/Qwen3-32B'],
      ['hosted_vllm', 'meta-llama/Llama-3.3-70B-Instruct'],
    ] as const) {
      expect(priceOf(provider, model), `${provider} ${model}`).toHaveProperty('unpricedReason');
    }
  });

  it('is that of the list that knows tiers and cached tokens, and names what others say', () => {
    const usage = usageOf({ input: 50_000, cacheRead: 50_000, output: 1_000 });
    const cost = calcCost(callOf({ provider: 'alibaba', model: 'qwen3-max', time, usage }), book);
    // 50,000 at 2.40, 50,000 at 0.48 and 1,000 at 12 dollars for a million.
    expect(cost).toMatchObject({ cost: 156_000_000_000n, lines: [{ source: { list: 'models.dev' } }, {}, {}] });
    const disagreeing = book.catalogue.findFurther('alibaba', 'qwen3-max')?.disagreeing ?? [];
    expect(disagreeing.find(({ list }) => list === 'llm-zoo')?.prices).toEqual(
      expect.arrayContaining(['input_above_32000', 'output_above_128000']),
    );
  });

  const listed = (list: FurtherList['list'], prices: CataloguePrices): FurtherList => ({
    ...{ list, version: '1', date: '2026-11-01' },
    entries: [['google', 'gemini-3.8-flash-live-2', prices]],
  });
  const ofLists = (...further: FurtherList[]) =>
    openCatalogue(installedCatalogue().data, currentCorrections().data, JSON.stringify(further));

  it('is not hidden by a correction that found no rate', () => {
    const model = ofLists(listed('litellm', { input_mtok: 0.5 })).findFurther('google', 'gemini-3.8-flash-live-2');
    expect(model?.entry).toMatchObject({ list: { name: 'litellm' } });
  });

  it('names a price of cached tokens on which lists disagree', () => {
    const catalogue = ofLists(
      listed('llm-zoo', { input_mtok: 0.5, output_mtok: 1, cache_read_mtok: 0.1 }),
      listed('litellm', { input_mtok: 0.502, output_mtok: 1, cache_read_mtok: 0.25 }),
      listed('models.dev', { input_mtok: 0.502, output_mtok: 1 }),
    );
    expect(catalogue.findFurther('google', 'gemini-3.8-flash-live-2')?.disagreeing).toEqual([
      { list: 'litellm', version: '1', input: 0.502, output: 1, prices: ['cache_read'] },
    ]);
  });
});
