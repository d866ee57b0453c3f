import { createHmac, timingSafeEqual } from 'node:crypto';

/** How old, or how far ahead, a signature may be, in seconds (D17.1). */
const toleranceSeconds = 300;

/** Stripe's headers are shorter than this. */
const longestHeader = 4_096;

export interface SignedBody {
  /** `Stripe-Signature`. */
  readonly header: string | undefined;
  readonly body: Uint8Array;
  readonly secrets: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Checks the signature of a webhook as Stripe documents it: `v1` in `Stripe-Signature` is the HMAC-SHA256 of
 * `<t>.<body>` with the signing secret. While a secret is rotated, the header has several `v1`.
 * @returns why it is refused; undefined when it is valid
 */
export function refusalOfSignature({ header, body, secrets, now }: SignedBody): string | undefined {
  if (header === undefined) return 'There is no Stripe-Signature header.';
  const { time, signatures } = readHeader(header);
  if (time === undefined || signatures.length === 0) return 'The Stripe-Signature header has no time or no v1.';
  // Compares with every secret, and in constant time, so that the time taken reveals nothing.
  const isSigned = secrets.map((secret) => {
    const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
    return signatures.filter((given) => given.length === expected.length && timingSafeEqual(given, expected)).length;
  });
  if (!isSigned.some((found) => found > 0)) {
    return 'No signature is by the signing secret of this hook.';
  }
  const apart = Math.abs(now / 1_000 - Number(time));
  if (apart > toleranceSeconds)
    return 'The signature is older than five minutes, or the clocks differ by more than that.';
  return undefined;
}

function readHeader(header: string): { readonly time: string | undefined; readonly signatures: readonly Buffer[] } {
  const fields = header.length > longestHeader ? [] : header.split(',').map((field) => field.trim().split('=', 2));
  const time = fields.find(([name]) => name === 't')?.[1];
  return {
    time: time !== undefined && /^\d{1,12}$/.test(time) ? time : undefined,
    signatures: fields.filter(([name]) => name === 'v1').map(([, hex = '']) => Buffer.from(hex, 'hex')),
  };
}
