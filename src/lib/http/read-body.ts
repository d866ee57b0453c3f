import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { Problem } from '../problem.ts';
import type { Receipt } from './body-clock.ts';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } }),
};

/** The largest window that senders of `zstd` may use (RFC 9659): a decoder takes as much memory for a few bytes. */
const zstdWindowLog = 23;

/** Bytes of a refused body read and dropped, so that its sender sees the answer, no broken connection. */
const maxDiscardedBytes = 64 * 1_048_576;

export interface BodyBounds {
  /** The limit of this body, decoded. */
  readonly maxBytes: number;
  /** Called with the size of every chunk before it is kept. @throws Problem when there is no room for it */
  readonly hold: (bytes: number) => void;
  /** Called when nothing of the body is kept any more, before it is answered. */
  readonly release: () => void;
  /** Ends the body when it comes too slowly. */
  readonly receipt: Receipt | undefined;
}

/**
 * Reads a body to its end, decoding it.
 * @throws Problem `payload_too_large` as soon as its decoded size passes the limit (D3.5, D6.5); `request_timeout` when
 * it comes too slowly; `unsupported_media_type`; `invalid_body` when it is not what Content-Encoding says.
 */
export async function readBody(
  body: Readable,
  encoding: string | undefined,
  { maxBytes, hold, release, receipt }: BodyBounds,
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
  let isSlow = false;
  const drop = () => {
    chunks.length = 0;
    release();
  };
  const source = decoder ? body.on('error', (cause) => decoder.destroy(cause)).pipe(decoder) : body;
  try {
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return false;
      hold(chunk.length);
      chunks.push(chunk);
      return true;
    };
    await readChunks(source, take, receipt);
  } catch (cause) {
    isSlow = cause instanceof Problem && cause.code === 'request_timeout';
    drop();
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
    if (bytes > maxBytes) drop();
    if (!body.readableEnded && !isSlow) await discard(body, receipt);
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
function readChunks(source: Readable, take: (chunk: Buffer) => boolean, receipt?: Receipt): Promise<void> {
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
    if (receipt)
      receipt.onSlow = (problem) => {
        leave();
        reject(problem);
      };
    if (source.readableEnded) return resolve();
    if (source.destroyed) return onBroken(source.errored ?? undefined);
    source.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken).resume();
  });
}

async function discard(body: Readable, receipt: Receipt | undefined): Promise<void> {
  let bytes = 0;
  const take = (chunk: Buffer) => {
    bytes += chunk.length;
    return bytes <= maxDiscardedBytes;
  };
  try {
    await readChunks(body, take, receipt);
  } catch {
    // The sender has left, or is too slow to be waited for.
  }
}
