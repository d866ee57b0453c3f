import { toDay } from '../../../lib/days.ts';
import { divideHalfEven, type Money, toJsonNumber, toMoney } from '../../../lib/money.ts';
import type { UnitName } from '../../../lib/units.ts';
import { type UsageBucket, usageBuckets } from '../../../lib/usage-buckets.ts';
import { overrideUnits, type PriceOverride, readOverrideRates } from '../../../pricing/overrides.ts';
import { findConstant, fits, ratioScale, type Sample } from './constant.ts';
import type { Comparable, PriceFinding } from './find-price.ts';
import { isStoredTwice, type Line } from './line.ts';
import type { ListRates } from './list-rates.ts';
import { costByRates, microsPerPico } from './rate-cost.ts';
import { isNear, looseTolerance } from './tolerance.ts';
import type { OverrideWire } from './wire.ts';

/** The rates of an override, by its fields: USD for a million tokens as money. */
interface Fields {
  readonly input: Money;
  readonly output: Money;
  readonly cacheRead: Money | null;
  readonly cacheWrite: Money | null;
  readonly inputAudio: Money | null;
  readonly outputAudio: Money | null;
  readonly reasoning: Money | null;
  readonly perRequest: Money | null;
  readonly units: ReadonlyMap<UnitName, Money>;
}

interface Wanted {
  readonly line: Line;
  readonly finding: PriceFinding;
  readonly rates: ListRates;
  /** The day of the calls that the invoice records on the first day of the range, as a number since 1970. */
  readonly firstDay: number;
}

/**
 * The override that makes the computed costs of the finding's days equal to the charge. Undefined when no override can:
 * the calls of the line name several models, or their cost depends on tiers or on terms that it can't express.
 */
export function makeOverride({ line, finding, rates, firstDay }: Wanted): OverrideWire | undefined {
  const [model, ...others] = line.callModels;
  if (model === undefined || model === '' || others.length > 0) return undefined;
  const listed = toFields(rates);
  const fields =
    finding.kind === 'bucket' ? { ...listed, [finding.bucket]: roundRate(finding.rate) } : scaleAll(listed, finding);
  if (!fields || isStoredTwice(line, finding) || !closes(fields, finding.window.compared)) return undefined;
  return toWire(fields, { line, model, finding, firstDay });
}

const toFields = ({ perMtok, perRequest, units }: ListRates): Fields => ({
  input: perMtok.input ?? 0n,
  output: perMtok.output ?? 0n,
  cacheRead: perMtok.cacheRead,
  cacheWrite: perMtok.cacheWrite,
  inputAudio: perMtok.inputAudio,
  outputAudio: perMtok.outputAudio,
  reasoning: perMtok.reasoning,
  perRequest,
  units,
});

/** Rates of an override have at most 6 fractional digits. */
const rateDigit = 1_000_000n;
const roundRate = (rate: Money): Money => divideHalfEven(rate, rateDigit) * rateDigit;

/** Scales all rates by the ratio of the charge to their cost. */
function scaleAll(listed: Fields, { window }: PriceFinding): Fields | undefined {
  const effective = effectiveRates(listed);
  const toSample = ({ charged, used, tolerance }: Comparable): Sample => ({
    numerator: charged * microsPerPico,
    denominator: costByRates(used, effective),
    tolerance: tolerance * microsPerPico,
  });
  const samples = window.compared.map(toSample).filter(({ denominator }) => denominator > 0n);
  const loose = samples.map((sample) => ({ ...sample, tolerance: looseTolerance(sample, sample.numerator) }));
  const ratio = findConstant(samples) ?? ratioOf(loose);
  if (ratio === undefined) return undefined;
  const scale = (rate: Money) => roundRate(divideHalfEven(rate * ratio, ratioScale));
  const scaleOr = (rate: Money | null) => (rate === null ? null : scale(rate));
  const used = new Set(window.compared.flatMap((one) => [...one.used.units.keys()]));
  return {
    input: scale(listed.input),
    output: scale(listed.output),
    cacheRead: scaleOr(listed.cacheRead),
    cacheWrite: scaleOr(listed.cacheWrite),
    inputAudio: scaleOr(listed.inputAudio),
    outputAudio: scaleOr(listed.outputAudio),
    reasoning: scaleOr(listed.reasoning),
    perRequest: scaleOr(listed.perRequest),
    units: new Map(
      [...listed.units].map(([name, price]) => [
        name,
        used.has(name) ? divideHalfEven(price * ratio, ratioScale) : price,
      ]),
    ),
  };
}

/** The ratio of the sums of the samples with a constant ratio. */
function ratioOf(samples: readonly Sample[]): bigint | undefined {
  const shared = findConstant(samples);
  if (shared === undefined) return undefined;
  const fitting = samples.filter((sample) => fits(sample, shared));
  const sum = (pick: (sample: Sample) => bigint) => fitting.reduce((total, sample) => total + pick(sample), 0n);
  return divideHalfEven(
    sum(({ numerator }) => numerator) * ratioScale,
    sum(({ denominator }) => denominator),
  );
}

/** The rate of every bucket under an override. */
function effectiveRates(fields: Fields): ListRates {
  const { perMtok } = readOverrideRates(toOverride(fields));
  const entries = usageBuckets.map((bucket) => {
    const rate = perMtok[bucket];
    return [bucket, rate === null ? null : toMoney(rate.amount)] as const;
  });
  return {
    perMtok: Object.fromEntries(entries) as Record<UsageBucket, Money | null>,
    perRequest: fields.perRequest,
    units: fields.units,
  };
}

const toText = (rate: Money): string => String(toJsonNumber(rate));
const toTextOrNull = (rate: Money | null): string | null => (rate === null ? null : toText(rate));

const toOverride = (fields: Fields): PriceOverride => ({
  id: '',
  provider: null,
  model: '',
  terms: {},
  effectiveFrom: null,
  effectiveTo: null,
  inputPerMtok: toText(fields.input),
  outputPerMtok: toText(fields.output),
  cacheReadPerMtok: toTextOrNull(fields.cacheRead),
  cacheWritePerMtok: toTextOrNull(fields.cacheWrite),
  inputAudioPerMtok: toTextOrNull(fields.inputAudio),
  outputAudioPerMtok: toTextOrNull(fields.outputAudio),
  reasoningPerMtok: toTextOrNull(fields.reasoning),
  perRequest: toTextOrNull(fields.perRequest),
  units: {},
  createdAt: 0,
});

const cent = 10n ** 10n;

/** Whether the costs at these rates differ from the charge by at most a cent, a thousandth or what entries round. */
function closes(fields: Fields, compared: readonly Comparable[]): boolean {
  const effective = effectiveRates(fields);
  const sum = (pick: (one: Comparable) => bigint) => compared.reduce((total, one) => total + pick(one), 0n);
  const charged = sum((one) => one.charged);
  const left =
    divideHalfEven(
      sum(({ used }) => costByRates(used, effective)),
      microsPerPico,
    ) - charged;
  const thousandth = charged / 1_000n;
  const rounding = sum((one) => one.tolerance);
  return [cent, thousandth, rounding].some((tolerance) => isNear(left, tolerance));
}

interface Named {
  readonly line: Line;
  readonly model: string;
  readonly finding: PriceFinding;
  readonly firstDay: number;
}

function toWire(fields: Fields, { line, model, finding, firstDay }: Named): OverrideWire {
  const { window } = finding;
  // In the project's timezone, the first calls of the range may be on the previous day.
  const isEarlier = window.isFromFirst && line.crossings.some(({ day, providerDay }) => day < providerDay);
  const used = new Set(window.compared.flatMap((one) => [...one.used.units.keys()]));
  const units = overrideUnits.flatMap((name) => {
    const price = fields.units.get(name);
    return finding.kind === 'ratio' && used.has(name) && price !== undefined ? [[name, toJsonNumber(price)]] : [];
  });
  // A rate that equals the input or output rate is left out, because that is its default.
  const optional = (name: string, rate: Money | null, otherwise: Money) =>
    rate === null || rate === otherwise ? {} : { [name]: toJsonNumber(rate) };
  const { input, output } = fields;
  return {
    ...(line.callProvider !== undefined && { provider: line.callProvider }),
    model,
    effective_from: toDay(firstDay + window.from - (isEarlier ? 1 : 0)),
    ...(!window.isOpen && { effective_to: toDay(firstDay + window.to) }),
    input_per_mtok: toJsonNumber(input),
    output_per_mtok: toJsonNumber(output),
    ...optional('cache_read_per_mtok', fields.cacheRead, input),
    ...optional('cache_write_per_mtok', fields.cacheWrite, input),
    ...optional('input_audio_per_mtok', fields.inputAudio, input),
    ...optional('output_audio_per_mtok', fields.outputAudio, output),
    ...optional('reasoning_per_mtok', fields.reasoning, output),
    ...optional('per_request', fields.perRequest, 0n),
    ...(units.length > 0 && { units: Object.fromEntries(units) }),
  };
}
