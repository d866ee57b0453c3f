import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Asker, askingAs, askingFor, currentAsker } from '../../lib/asker.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { fairTurn } from '../../lib/fair-turn.ts';
import { Shares } from '../../lib/shares.ts';

/** How many answers are streamed at once, of all projects: each holds up to 10,000 rows. */
const streams = new Shares({
  slots: 8,
  mostWaiting: 0,
  refusal: 'This project streams as many answers as it may at once; read or end one of them, then ask again.',
});

interface Stream {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** A reader that takes nothing for this long is let go, in milliseconds. */
  readonly stalledMs: number;
}

/** Takes a slot until the reply is closed. @throws Problem `rate_limited` when the project has no more */
export async function takeStream({ raw }: FastifyReply): Promise<() => void> {
  const giveBack = await streams.take(currentAsker()?.lane ?? '');
  if (raw.destroyed) giveBack();
  else raw.once('close', giveBack);
  return giveBack;
}

/** Streams parts for the current asker, at the pace of the reader. */
export function streamParts(parts: AsyncIterable<string | Uint8Array>, stream: Stream): Readable {
  // A stream asks for its next part whenever its reader has room, which belongs to no request.
  const asker = currentAsker() ?? { lane: '' };
  return Readable.from(paceParts(parts, asker, stream), { highWaterMark: 2 });
}

async function* paceParts<Part>(
  parts: AsyncIterable<Part>,
  asker: Asker,
  { request, reply: { raw }, stalledMs }: Stream,
): AsyncGenerator<Part> {
  const iterator = parts[Symbol.asyncIterator]();
  let stalled: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const { done, value } = await askingFor(asker, () => askingAs({ hasBegun: true }, () => iterator.next()));
      if (done) return;
      stalled = setTimeout(() => {
        request.log.warn('an answer was cut off, because its reader takes nothing');
        raw.destroy();
      }, stalledMs);
      yield value;
      clearTimeout(stalled);
    }
  } catch (error) {
    // The reader only sees that the connection is closed.
    request.log.error({ err: error }, 'an answer was cut off');
    throw error;
  } finally {
    clearTimeout(stalled);
    await iterator.return?.();
  }
}

/** The rows of a page, and how to ask for the next one. */
export interface RowsRead {
  readonly rows: readonly unknown[];
  readonly next: string | null;
}

/** How many rows one turn of the event loop encodes. Other requests wait meanwhile. */
const sliceRows = 250;

/** All rows from a first page on, in slices. Reads a page when all rows before it are consumed. */
export async function* readSlices(
  first: RowsRead,
  readPage: (cursor: string) => Promise<RowsRead>,
): AsyncGenerator<readonly unknown[]> {
  for (let page = first; ; page = await readPage(page.next)) {
    for (const slice of chunksOf(page.rows, sliceRows)) {
      yield slice;
      await fairTurn();
    }
    if (page.next === null) return;
  }
}
