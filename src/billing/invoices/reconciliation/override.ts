import { toDay } from '../../../lib/days.ts';
import { divideHalfEven, type Money, toJsonNumber, toMoney } from '../../../lib/money.ts';
import { type UsageBucket, usageBuckets } from '../../../lib/usage-buckets.ts';
import { type OverrideRates, overrideUnits, readOverrideRates } from '../../../pricing/overrides.ts';
import type { Rate } from '../../../pricing/rates.ts';
import { findConstant, fits, isNear, looseTolerance, ratioScale, type Sample } from './constant.ts';
import type { Comparable, PriceFinding } from './find-price.ts';
import { isStoredTwice, type Line } from './line.ts';
import { costByRates, type ListRates, microsPerPico } from './list-rates.ts';
import type { OverrideWire } from './wire.ts';

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
  const wanted =
    finding.kind === 'bucket'
      ? { ...rates, perMtok: { ...rates.perMtok, [finding.bucket]: roundRate(finding.rate) } }
      : scaleAll(rates, finding);
  if (!wanted || isStoredTwice(line, finding) || !closes(wanted, finding.window.compared)) return undefined;
  return toWire(wanted, { line, model, finding, firstDay });
}

/** Rates of an override have at most 6 fractional digits. */
const rateDigit = 1_000_000n;
const roundRate = (rate: Money): Money => divideHalfEven(rate, rateDigit) * rateDigit;

/** Scales all rates by the ratio of the charge to their cost. */
function scaleAll(listed: ListRates, { window }: PriceFinding): ListRates | undefined {
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
  const scale = (rate: Money | null) => (rate === null ? null : roundRate(divideHalfEven(rate * ratio, ratioScale)));
  const used = new Set(window.compared.flatMap((one) => [...one.used.units.keys()]));
  return {
    perMtok: byBucket((bucket) => scale(listed.perMtok[bucket])),
    perRequest: scale(listed.perRequest),
    units: new Map(
      [...listed.units].map(([name, price]) => [
        name,
        used.has(name) ? divideHalfEven(price * ratio, ratioScale) : price,
      ]),
    ),
  };
}

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

/** The rate of every bucket under an override with these rates: those that it cannot set follow others. */
function effectiveRates(rates: ListRates): ListRates {
  const { perMtok } = readOverrideRates(toOverride(rates));
  return { ...rates, perMtok: byBucket((bucket) => toMoneyOrNull(perMtok[bucket])) };
}

const toMoneyOrNull = (rate: Rate | null) => (rate === null ? null : toMoney(rate.amount));

const byBucket = (rateOf: (bucket: UsageBucket) => Money | null): ListRates['perMtok'] =>
  Object.fromEntries(usageBuckets.map((bucket) => [bucket, rateOf(bucket)])) as ListRates['perMtok'];

const toText = (rate: Money): string => String(toJsonNumber(rate));
const toTextOrNull = (rate: Money | null): string | null => (rate === null ? null : toText(rate));

const toOverride = ({ perMtok, perRequest }: ListRates): OverrideRates => ({
  inputPerMtok: toText(perMtok.input ?? 0n),
  outputPerMtok: toText(perMtok.output ?? 0n),
  cacheReadPerMtok: toTextOrNull(perMtok.cacheRead),
  cacheWritePerMtok: toTextOrNull(perMtok.cacheWrite),
  inputAudioPerMtok: toTextOrNull(perMtok.inputAudio),
  outputAudioPerMtok: toTextOrNull(perMtok.outputAudio),
  reasoningPerMtok: toTextOrNull(perMtok.reasoning),
  perRequest: toTextOrNull(perRequest),
});

const cent = 10n ** 10n;

/** Whether the costs at these rates differ from the charge by at most a cent, a thousandth or what entries round. */
function closes(rates: ListRates, compared: readonly Comparable[]): boolean {
  const effective = effectiveRates(rates);
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

function toWire(
  { perMtok, perRequest, units: prices }: ListRates,
  { line, model, finding, firstDay }: Named,
): OverrideWire {
  const { window } = finding;
  // In the project's timezone, the first calls of the range may be on the previous day.
  const isEarlier = window.isFromFirst && line.crossings.some(({ day, providerDay }) => day < providerDay);
  const used = new Set(window.compared.flatMap((one) => [...one.used.units.keys()]));
  const units = overrideUnits.flatMap((name) => {
    const price = prices.get(name);
    return finding.kind === 'ratio' && used.has(name) && price !== undefined ? [[name, toJsonNumber(price)]] : [];
  });
  // A rate that equals the input or output rate is left out, because that is its default.
  const optional = (name: string, rate: Money | null, otherwise: Money) =>
    rate === null || rate === otherwise ? {} : { [name]: toJsonNumber(rate) };
  const [input, output] = [perMtok.input ?? 0n, perMtok.output ?? 0n];
  return {
    ...(line.callProvider !== undefined && { provider: line.callProvider }),
    model,
    effective_from: toDay(firstDay + window.from - (isEarlier ? 1 : 0)),
    ...(!window.isOpen && { effective_to: toDay(firstDay + window.to) }),
    input_per_mtok: toJsonNumber(input),
    output_per_mtok: toJsonNumber(output),
    ...optional('cache_read_per_mtok', perMtok.cacheRead, input),
    ...optional('cache_write_per_mtok', perMtok.cacheWrite, input),
    ...optional('input_audio_per_mtok', perMtok.inputAudio, input),
    ...optional('output_audio_per_mtok', perMtok.outputAudio, output),
    ...optional('reasoning_per_mtok', perMtok.reasoning, output),
    ...optional('per_request', perRequest, 0n),
    ...(units.length > 0 && { units: Object.fromEntries(units) }),
  };
}
