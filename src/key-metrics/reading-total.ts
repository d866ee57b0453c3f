import { createHash } from 'node:crypto';
import { parseDecimal } from '../lib/money.ts';
import { canonicalJson, isNumberText } from './json-text.ts';
import type { KeptReading, Reading } from './readings.ts';

/** Fractional digits that sums are kept with, and the digits before the point that a number may have. */
const scale = 100;
const limit = 10n ** BigInt(2 * scale);

/** Sums are counted in units of 1e-100: a bigint, exact. */
const sumUnit = 10n ** BigInt(scale);

/**
 * A number of an event in units of 1e-100. Null for what a sum skips: anything but a JSON number, a number of 10^100 or
 * more, one with more than 100 fractional digits, or one written in more than 400 characters or with an exponent beyond
 * ±400 (D9.1).
 */
function parseSummand(text: string): bigint | null {
  const number = isNumberText(text) ? parseDecimal(text) : null;
  if (number === null || number.scale > scale) return null;
  const units = number.mantissa * 10n ** BigInt(scale - number.scale);
  return units < limit && units > -limit ? units : null;
}

/** Fractional digits that a sum is stored with in one piece, and how many units of 1e-100 its last one is. */
const storedScale = 20;
const storedUnit = 10n ** BigInt(scale - storedScale);
/** A decimal of 76 digits holds less than this many of its units. */
const storedLimit = 10n ** 76n;

/** 128 bits of a value as it is spelt by `canonicalJson`: what is kept of it when its event is deleted. As the store has it. */
function hashValue(value: string): string {
  const hash = createHash('sha256').update(value).digest();
  return ((hash.readBigUInt64LE(8) << 64n) | hash.readBigUInt64LE(0)).toString();
}

/** What the events of one row give for one reading. */
export class ReadingTotal {
  readonly #aggregation: Reading['aggregation'];
  #events = 0;
  #fed = 0;
  #sum = 0n;
  /** Distinct values that are only counted: none of them is in `#values`. */
  #distinct = 0;
  readonly #values = new Set<string>();
  readonly #isHashed: boolean;

  /** With `isHashed`, values are told apart by their hashes, as those of deleted events are. */
  constructor(aggregation: Reading['aggregation'], { isHashed = false }: { readonly isHashed?: boolean } = {}) {
    this.#aggregation = aggregation;
    this.#isHashed = isHashed;
  }

  /** Events of the type that do not feed the reading. */
  get skipped(): number {
    // An event may have come between the statements that counted and that read.
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

  /** What is kept of it when the events are deleted; it must be hashed, and hold its values. */
  get kept(): Pick<KeptReading, 'fed' | 'sum' | 'rest' | 'hashes'> {
    const [stored, rest] = [this.#sum / storedUnit, this.#sum % storedUnit];
    const isStored = rest === 0n && stored < storedLimit && stored > -storedLimit;
    return {
      fed: this.#fed,
      sum: isStored ? formatUnits(stored, storedScale) : '0',
      rest: isStored ? '' : this.#sum.toString(),
      hashes: [...this.#values],
    };
  }

  /**
   * Takes in events that the store has counted. `values` are spelt as by `canonicalJson`, or their hashes; `distinct` are
   * others than these.
   */
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
    if (sum === null) throw new RangeError(`${counted.sum} is no sum`);
    this.#events += counted.events;
    this.#fed += counted.fed;
    this.#sum += (counted.rests ?? []).reduce((total, rest) => total + BigInt(rest), sum);
    this.#distinct += counted.distinct;
    for (const value of counted.values) this.#values.add(value);
  }

  /** Takes in the value of an event that was counted in `events` only; undefined when it has none. */
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
