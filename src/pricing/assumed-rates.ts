import type { PartName } from '../lib/units.ts';
import type { UsageBucket } from '../lib/usage-buckets.ts';
import type { TokenPrice, TokenRates } from './rates.ts';

/** The names of the buckets that providers charge at rates of their own. Thoughts cost what other output costs. */
const parts = {
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  cacheWrite1h: 'cache_write_1h',
  inputAudio: 'input_audio',
  cacheReadAudio: 'cache_read_audio',
  inputImage: 'input_image',
  cacheReadImage: 'cache_read_image',
  inputVideo: 'input_video',
  outputAudio: 'output_audio',
  outputImage: 'output_image',
  outputVideo: 'output_video',
} as const satisfies Partial<Record<UsageBucket, PartName>>;

const partOf: Readonly<Partial<Record<UsageBucket, AssumedPart>>> = parts;

export type AssumedPart = (typeof parts)[keyof typeof parts];

export const assumedParts: readonly AssumedPart[] = Object.values(parts);
const names: ReadonlySet<PartName> = new Set(assumedParts);

/** Whether a part of a call is a kind of token that is charged like a wider kind. */
export const isAssumedPart = (name: PartName): name is AssumedPart => names.has(name);

/**
 * What to tell of a bucket that has the rate of a wider one only because its own isn't known (D26.3); undefined if the
 * rate is its own, is nothing, or is known to be the same. An override's gaps are filled by its own rule (D5.3).
 */
export function findAssumed(
  bucket: UsageBucket,
  { rates: { perMtok, widened }, source, seller }: TokenPrice,
  model: string,
): { readonly part: AssumedPart; readonly rateOf: UsageBucket } | undefined {
  const [rateOf, part] = [widened[bucket], partOf[bucket]];
  if (rateOf === undefined || part === undefined || source.kind === 'override') return undefined;
  const isFree = perMtok[bucket]?.amount.mantissa === 0n;
  return isFree || isOrdinary(bucket, { widened, seller, model: model.toLowerCase() }) ? undefined : { part, rateOf };
}

/** Whether the provider charges such tokens like the wider kind wherever its price list says nothing else. */
function isOrdinary(
  bucket: UsageBucket,
  { widened, seller, model }: Pick<TokenRates, 'widened'> & { readonly seller: string; readonly model: string },
): boolean {
  switch (bucket) {
    case 'cacheWrite':
      return writesAtInput.has(seller);
    case 'inputAudio':
      return seller === 'google';
    case 'inputImage':
    case 'inputVideo':
      return readsAlike.has(seller);
    case 'cacheReadAudio':
      return seller === 'google' && widened.cacheRead === undefined && widened.inputAudio !== undefined;
    case 'cacheReadImage':
      return readsAlike.has(seller) && widened.cacheRead === undefined && widened.inputImage !== undefined;
    // What these models make has the only price of output.
    case 'outputAudio':
      return model.includes('-tts');
    case 'outputImage':
      return model.includes('gpt-image-');
    default:
      return false;
  }
}

/** They cache by themselves, and charge what is written like other input unless a model's list says otherwise. */
const writesAtInput: ReadonlySet<string> = new Set(['openai', 'azure', 'deepseek', 'x-ai', 'groq', 'google']);

/** Their lists name pictures only where they cost more or less than text. Google's name sound in the same way. */
const readsAlike: ReadonlySet<string> = new Set(['google', 'x-ai']);
