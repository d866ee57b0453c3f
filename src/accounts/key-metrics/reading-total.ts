import { createHash } from 'node:crypto';
import { parseDecimal } from '../../lib/money.ts';
import { canonicalJson, isNumberText } from './json-text.ts';
import type { FrozenReading, Reading } from './readings.ts';

/** The fractional digits of sums, and the most digits that a number may have before the point. */
const scale = 100;
const limit = 10n ** BigInt(2 * scale);

/** Sums are exact bigints in units of 1e-100. */
const sumUnit = 10n ** BigInt(scale);

/**
 * The value of an event in units of 1e-100; null when sums skip it (D9.1). Sums skip anything but a JSON number. They
 * also skip numbers of 10^100 or more, with more than 100 fractional digits, written in more than 400 characters, or
 * with an exponent beyond ±400.
 */
function parseSummand(text: string): bigint | null {
  const number = isNumberText(text) ? parseDecimal(text) : null;
  if (number === null || number.scale > scale) return null;
  const units = number.mantissa * 10n ** BigInt(scale - number.scale);
  return units < limit && units > -limit ? units : null;
}

/** The fractional digits of a stored sum, and the value of its last digit in units of 1e-100. */
const storedScale = 20;
const storedUnit = 10n ** BigInt(scale - storedScale);
/** A stored sum is a decimal of 76 digits, so it has fewer than this many of its units. */
const storedLimit = 10n ** 76n;

/** A 128-bit hash of a value as `canonicalJson` has it, kept when its event is deleted. The store computes the same. */
function hashValue(value: string): string {
  const hash = createHash('sha256').update(value).digest();
  return ((hash.readBigUInt64LE(8) << 64n) | hash.readBigUInt64LE(0)).toString();
}

/** The total of one reading over the events of a row. */
export class ReadingTotal {
  readonly #aggregation: Reading['aggregation'];
  #events = 0;
  #fed = 0;
  #sum = 0n;
  /** Distinct values that are only counted: none of them is in `#values`. */
  #distinct = 0;
  readonly #values = new Set<string>();
  readonly #isHashed: boolean;

  /** With `isHashed`, values are compared by hash, as those of deleted events are. */
  constructor(aggregation: Reading['aggregation'], { isHashed = false }: { readonly isHashed?: boolean } = {}) {
    this.#aggregation = aggregation;
    this.#isHashed = isHashed;
  }

  /** Events of the type that do not feed the reading. */
  get skipped(): number {
    // An event can arrive between the statement that counts and the one that reads texts.
    return Math.max(0, this.#events - this.#fed);
  }

  /** Events that feed the reading: those that hold a value it can use. */
  get fed(): number {
    return this.#fed;
  }

  /** The value as the fraction `units / unit`, exact. */
  get value(): { readonly units: bigint; readonly unit: bigint } {
    if (this.#aggregation === 'sum') return { units: this.#sum, unit: sumUnit };
    const counted = this.#aggregation === 'count' ? this.#fed : this.#distinct + this.#values.size;
    return { units: BigInt(counted), unit: 1n };
  }

  /** What is kept when the events are deleted. Requires `isHashed`, and no values that are only counted. */
  get frozen(): Pick<FrozenReading, 'fed' | 'sum' | 'rest' | 'hashes'> {
    const [stored, rest] = [this.#sum / storedUnit, this.#sum % storedUnit];
    const isStored = rest === 0n && stored < storedLimit && stored > -storedLimit;
    return {
      fed: this.#fed,
      sum: isStored ? formatUnits(stored, storedScale) : '0',
      rest: isStored ? '' : this.#sum.toString(),
      hashes: [...this.#values],
    };
  }

  /** `values` are as `canonicalJson` has them, or hashes; `distinct` counts further values. */
  addCounted(counted: {
    readonly events: number;
    readonly fed: number;
    /** Decimal text. */
    readonly sum: string;
    readonly distinct: number;
    readonly values: readonly string[];
    /** Parts of the sum in units of 1e-100. */
    readonly rests?: readonly string[];
  }): void {
    const sum = parseSummand(counted.sum);
    if (sum === null) throw new RangeError(`${counted.sum} is not a sum`);
    this.#events += counted.events;
    this.#fed += counted.fed;
    this.#sum += (counted.rests ?? []).reduce((total, rest) => total + BigInt(rest), sum);
    this.#distinct += counted.distinct;
    for (const value of counted.values) this.#values.add(value);
  }

  /** Adds the value of an event that the store counted in `events` only; undefined when it has none. */
  addText(text: string | undefined): void {
    if (text === undefined) return;
    if (this.#aggregation === 'sum') {
      const summand = parseSummand(text);
      if (summand === null) return;
      this.#sum += summand;
    } else if (this.#aggregation === 'unique') {
      const value = canonicalJson(text);
      if (value === undefined) return;
      this.#values.add(this.#isHashed ? hashValue(value) : value);
    }
    this.#fed += 1;
  }
}

/** A whole number of units of 10^-digits as decimal text. */
function formatUnits(units: bigint, digits: number): string {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0');
  return `${units < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
