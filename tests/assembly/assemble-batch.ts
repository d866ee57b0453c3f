import { type BatchOptions, type BatchResult, readBatch, writeBatch } from '../../src/calls/assembly/batch.ts';

/** Moves the next events above the watermark vector into the calls. */
export async function assembleBatch(options: BatchOptions): Promise<BatchResult> {
  return await writeBatch(options, await readBatch(options));
}
