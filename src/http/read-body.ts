import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { Problem } from '../lib/problem.ts';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * How many bytes of a refused body are read and discarded, so that its sender sees the answer and not a broken
 * connection.
 */
const maxDiscardedBytes = 64 * 1_048_576;

export interface BodyBounds {
  /** The limit of this body, decoded. */
  readonly maxBytes: number;
  /** Called with the size of every chunk before it is kept. @throws Problem when there is no room for it */
  readonly hold: (bytes: number) => void;
}

/**
 * Reads a body to its end, decoding it.
 * @throws Problem `payload_too_large` as soon as its decoded size passes the limit (D3.5, D6.5);
 * `unsupported_media_type`; `invalid_body` when it is not what Content-Encoding says.
 */
export async function readBody(
  body: Readable,
  encoding: string | undefined,
  { maxBytes, hold }: BodyBounds,
): Promise<Buffer> {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  const decoder = decoders[name]?.();
  if (!decoder && name !== 'identity' && name !== '') {
    throw new Problem('unsupported_media_type', 'Content-Encoding must be gzip, br, zstd or left out.', {
      headers: { 'accept-encoding': 'gzip, br, zstd' },
    });
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const source = decoder ? body.on('error', (cause) => decoder.destroy(cause)).pipe(decoder) : body;
  try {
    await readChunks(source, (chunk) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return false;
      hold(chunk.length);
      chunks.push(chunk);
      return true;
    });
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('invalid_body', `The body could not be decoded as ${name}, or ended too early.`, {
      errors: [{ pointer: '', code: 'invalid_value', message: 'must be what Content-Encoding says, and all of it' }],
      cause,
    });
  } finally {
    if (decoder) {
      body.unpipe(decoder);
      decoder.destroy();
    }
    if (!body.readableEnded) await discard(body);
  }
  if (bytes > maxBytes) {
    const detail = `A request to this route holds at most ${maxBytes} bytes, decoded; send less at once.`;
    throw new Problem('payload_too_large', detail);
  }
  return Buffer.concat(chunks, bytes);
}

/**
 * Reads until the end, or until `take` returns false; the source can be read on after that. It listens to events,
 * because an iterator would cost a twentieth of the time of a small request. Rejects when the source breaks off or
 * `take` throws.
 */
function readChunks(source: Readable, take: (chunk: Buffer) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      source.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken).pause();
    };
    const onEnd = () => {
      leave();
      resolve();
    };
    const onBroken = (cause?: Error) => {
      leave();
      reject(cause ?? new Error('it broke off'));
    };
    const onData = (chunk: Buffer) => {
      try {
        if (!take(chunk)) onEnd();
      } catch (cause) {
        leave();
        reject(cause);
      }
    };
    if (source.readableEnded) return resolve();
    if (source.destroyed) return onBroken(source.errored ?? undefined);
    source.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken).resume();
  });
}

async function discard(body: Readable): Promise<void> {
  let bytes = 0;
  try {
    await readChunks(body, (chunk) => {
      bytes += chunk.length;
      return bytes <= maxDiscardedBytes;
    });
  } catch {
    // The sender has left; there is nobody to answer.
  }
}
