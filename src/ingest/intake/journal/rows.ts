import { readEvent } from '../../../calls/event.ts';
import type { EventRow } from '../../../calls/event-columns.ts';
import { parseEvent } from '../body.ts';
import type { JournalRecord } from './record.ts';

/** An event is not refused for a limit that was lowered since it was acknowledged. */
const limits = { maxTags: Number.POSITIVE_INFINITY };

/**
 * The rows of a record, with the sequences and times of receipt that its events were acknowledged with.
 * @throws Error when an event is not valid for this release
 */
export function toRows(writer: string, { firstSeq, requests }: JournalRecord): EventRow[] {
  let seq = firstSeq;
  return requests.flatMap(({ projectId, clientId, readAtMs, receivedAtMs, texts }) =>
    texts.map((bytes) => {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      const event = { projectId, clientId, columns: readColumns(text, readAtMs), text };
      return { writer, seq: seq++, receivedAtMs, event };
    }),
  );
}

function readColumns(text: Buffer, readAtMs: number) {
  const reading = readEvent(parseEvent({ bytes: text, isExact: false }), readAtMs, limits);
  if (!reading.ok) {
    throw new Error(
      'The journal has an acknowledged event that this release does not take: start the one that took it',
    );
  }
  return reading.columns;
}
