import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const mebibyte = 1024 * 1024;

/** Brotli compresses its best by default, which takes long. */
function quickBrotli(data: string | Buffer): Buffer {
  return brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

/** An event of about this many bytes. */
function eventOf(size: number): string {
  return JSON.stringify(costEvent({ cost: 1, filler: 'x'.repeat(size) }));
}

test('D3.5: an event of more than 1 MiB is a 413', async () => {
  const project = await farthing.createProject();
  expectProblem(await project.intake({ raw: eventOf(mebibyte) }), 413, 'payload_too_large');
  expect(await project.costBy('customer')).toEqual({});
});

longTest('D3.5: a request of up to 16 MiB is accepted, a larger one is a 413', async () => {
  const project = await farthing.createProject();
  const events = Array.from({ length: 17 }, () => eventOf(mebibyte - 1000));
  const fits = await project.intake({ raw: `[${events.slice(0, 16).join(',')}]` });
  expect(fits.status, fits.text).toBe(200);
  expect(await project.totalCost()).toBe(16);
  expectProblem(await project.intake({ raw: `[${events.join(',')}]` }), 413, 'payload_too_large');
  const lines = { raw: events.join('\n'), contentType: 'application/x-ndjson' };
  expectProblem(await project.intake(lines), 413, 'payload_too_large');
  expect(await project.totalCost()).toBe(16);
});

const encodings = [
  ['gzip', gzipSync],
  ['br', quickBrotli],
  ['zstd', zstdCompressSync],
] as const;

test.each(encodings)('D3.3: the limits hold for the decoded size of %s', async (encoding, compress) => {
  const project = await farthing.createProject();
  const headers = { 'content-encoding': encoding };
  const large = new Uint8Array(compress(eventOf(mebibyte)));
  expect(large.length).toBeLessThan(mebibyte);
  expectProblem(await project.intake({ raw: large, headers }), 413, 'payload_too_large');
  // A few kilobytes that decode to 20 MiB.
  const bomb = new Uint8Array(compress(Buffer.alloc(20 * mebibyte, ' ')));
  expectProblem(await project.intake({ raw: bomb, headers }), 413, 'payload_too_large');
  expect(await project.costBy('customer')).toEqual({});
});
