import { modelUnits, type Terms, type UnitName } from '../lib/units.ts';
import {
  type CatalogueEntry,
  type NoEntryReason,
  ratesOfSize,
  resolveTiers,
  type TieredRates,
} from './catalogue-entry.ts';
import { holdsAt, type OpenedSupplement } from './opened-supplement.ts';
import {
  type PriceSource,
  type TermChange,
  type TokenPrice,
  type TokenRates,
  toPlainPrice,
  type UnitPrice,
} from './rates.ts';
import { multiplyRates, resolveTermEffects, resolveUnitPrice, type TermEffects } from './term-effects.ts';

type TariffContext = {
  /** In lower case. */
  readonly terms: Terms;
  /** Of the catalogue. */
  readonly version: string;
};

/** The list prices for calls with one provider, model and terms. Chosen prices are cached for later calls. */
export class Tariff {
  readonly entry: CatalogueEntry | NoEntryReason;
  /** All supplements of the model, at any time and with any terms; most specific first. */
  readonly #supplements: readonly OpenedSupplement[];
  readonly #context: TariffContext;
  readonly #entrySource: PriceSource | null;
  /** The times at which a supplement begins or ends, ascending, in milliseconds since 1970. */
  readonly #turns: readonly number[];
  /** The prices before the first turn, and those from each turn to the next. */
  readonly #spans: (PricesInSpan | undefined)[] = [];

  constructor(entry: CatalogueEntry | NoEntryReason, supplements: readonly OpenedSupplement[], context: TariffContext) {
    this.entry = entry;
    this.#supplements = supplements;
    this.#context = context;
    this.#entrySource =
      typeof entry === 'string'
        ? null
        : entry.list !== null
          ? {
              kind: 'further_list',
              list: entry.list.name,
              version: entry.list.version,
              provider: entry.provider,
              entry: entry.id,
            }
          : {
              kind: 'catalogue',
              version: context.version,
              provider: entry.provider,
              entry: entry.id,
              correctionSource: entry.correctionSource,
            };
    const turns = supplements.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]).filter(Number.isFinite);
    this.#turns = [...new Set(turns)].sort((a, b) => a - b);
  }

  /** By tokens or its own units: a factor or a tool's price holds for all names of a pattern, so it proves no model. */
  isSold(): boolean {
    const sells = ({ match, prices, units }: OpenedSupplement) =>
      match !== undefined && (prices !== null || modelUnits.some((unit) => units.has(unit)));
    return typeof this.entry !== 'string' || this.#supplements.some(sells);
  }

  /** The tariff for further terms, which are in lower case. */
  withTerms(terms: Terms): Tariff {
    return new Tariff(this.entry, this.#supplements, { ...this.#context, terms: { ...this.#context.terms, ...terms } });
  }

  /** The token prices at `timeMs` for a prompt of `inputTokens` tokens, or why there are none. */
  tokenPrice(timeMs: number, inputTokens: number): TokenPrice | NoEntryReason {
    const span = this.#spanAt(timeMs);
    const tiers = this.#tiersIn(span, timeMs);
    return typeof tiers === 'string' ? tiers : this.#priceOf(ratesOfSize(tiers, inputTokens), span);
  }

  /** The token prices at `timeMs` for prompts of every size; tiers ascend. */
  tokenPrices(timeMs: number): PricesBySize | NoEntryReason {
    const span = this.#spanAt(timeMs);
    const tiers = this.#tiersIn(span, timeMs);
    if (typeof tiers === 'string') return tiers;
    return {
      base: this.#priceOf(tiers.base, span),
      tiers: tiers.tiers.map(({ aboveInputTokens, rates }) => ({
        aboveInputTokens,
        price: this.#priceOf(rates, span),
      })),
    };
  }

  /** The price of a unit at `timeMs`; null when none is known. */
  unitPrice(unit: UnitName, timeMs: number): UnitPrice | null {
    return this.#unitPriceIn(this.#spanAt(timeMs), unit);
  }

  #unitPriceIn({ supplements, effects, units }: PricesInSpan, unit: UnitName): UnitPrice | null {
    let price = units.get(unit);
    if (price === undefined) {
      price = resolveUnitPrice(supplements, unit, this.#context.terms, effects);
      units.set(unit, price);
    }
    return price;
  }

  /** Where its prices may change, with any terms. */
  turns(): PriceTurns {
    const schedule = typeof this.entry === 'string' ? [] : this.entry.schedule;
    const lists = [...schedule, ...this.#supplements.flatMap(({ prices }) => prices ?? [])];
    return {
      instantsMs: [...this.#turns, ...schedule.map(({ startMs }) => startMs).filter(Number.isFinite)],
      edgesMs: schedule.flatMap(({ edgesMs }) => edgesMs),
      sizes: lists.flatMap(({ tiers }) => tiers.map(({ aboveInputTokens }) => aboveInputTokens)),
    };
  }

  /** The model's supplements in force at `timeMs`, with any terms; most specific first. */
  supplementsAt(timeMs: number): readonly OpenedSupplement[] {
    return this.#spanAt(timeMs).supplements;
  }

  #tiersIn({ effects }: PricesInSpan, timeMs: number): TieredRates | NoEntryReason {
    if (effects.prices !== null) return effects.prices.tiers;
    return typeof this.entry === 'string' ? this.entry : resolveTiers(this.entry, timeMs);
  }

  #priceOf(rates: TokenRates, span: PricesInSpan): TokenPrice {
    const { effects, priced } = span;
    let price = priced.get(rates);
    if (price === undefined) {
      const source = effects.prices?.source ?? this.#entrySource;
      if (source === null) throw new Error('rates without a source');
      const ofList = rates.perRequest && toPlainPrice(rates.perRequest, source);
      const request = resolveUnitPrice(span.supplements, 'requests', this.#context.terms, effects, ofList);
      const seller = typeof this.entry === 'string' || this.entry.list !== null ? '' : this.entry.provider;
      price = { ...applyTerms({ rates, source, seller }, this.#context.terms, effects), request };
      priced.set(rates, price);
    }
    return price;
  }

  #spanAt(timeMs: number): PricesInSpan {
    let index = 0;
    for (const turn of this.#turns) if (turn <= timeMs) index += 1;
    let span = this.#spans[index];
    if (span === undefined) {
      const supplements = this.#supplements.filter((supplement) => holdsAt(supplement, timeMs));
      const effects = resolveTermEffects(supplements, this.#context.terms);
      span = { supplements, effects, priced: new Map(), units: new Map() };
      this.#spans[index] = span;
    }
    return span;
  }
}

/** Between two turns prices stay. */
export type PriceTurns = {
  /** In milliseconds since 1970. */
  readonly instantsMs: readonly number[];
  /** Times of each day, in UTC. */
  readonly edgesMs: readonly number[];
  /** In tokens: a prompt has another price if it is larger. */
  readonly sizes: readonly number[];
};

export type PricesBySize = {
  /** For prompts that exceed no tier's bound. */
  readonly base: TokenPrice;
  readonly tiers: readonly { readonly aboveInputTokens: number; readonly price: TokenPrice }[];
};

type PricesInSpan = {
  readonly supplements: readonly OpenedSupplement[];
  readonly effects: TermEffects;
  readonly priced: Map<TokenRates, TokenPrice>;
  readonly units: Map<UnitName, UnitPrice | null>;
};

function applyTerms(
  listed: Pick<TokenPrice, 'rates' | 'source' | 'seller'>,
  terms: Terms,
  { factor, changes, unknown, known }: TermEffects,
): Omit<TokenPrice, 'request'> {
  const rates = factor === null ? listed.rates : multiplyRates(listed.rates, factor);
  const plain = { terms: changes, unknownTerms: unknown };
  const price = { ...listed, ...plain, rates, cacheWrite: plain };
  const lifetime = terms.cache_ttl;
  if (lifetime === undefined || lifetime === usualLifetime || known.has('cache_ttl')) return price;
  if (lifetime !== '1h') return { ...price, cacheWrite: { terms: changes, unknownTerms: ['cache_ttl', ...unknown] } };

  const { cacheWrite, cacheWrite1h } = rates.perMtok;
  // Without a price for the hour, writes of any lifetime have the one of the usual lifetime.
  if (rates.widened.cacheWrite1h === 'cacheWrite' && cacheWrite?.amount.mantissa !== 0n) {
    return { ...price, cacheWrite: { terms: changes, unknownTerms: ['cache_ttl', ...unknown] } };
  }
  if (cacheWrite1h === null || cacheWrite1h.text === cacheWrite?.text) return price;
  // The usage doesn't split cache writes by lifetime, so the term decides their price.
  const { cacheWrite: _ofUsual, ...widened } = rates.widened;
  const change: TermChange = { name: 'cache_ttl', value: lifetime, factor: null, source: listed.source };
  return {
    ...price,
    rates: { ...rates, widened, perMtok: { ...rates.perMtok, cacheWrite: cacheWrite1h } },
    cacheWrite: { terms: [...changes, change], unknownTerms: unknown },
  };
}

/** The lifetime whose price the bucket `cacheWrite` has. */
const usualLifetime = '5m';
