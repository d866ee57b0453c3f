import { setTimeout as sleep } from 'node:timers/promises';
import { readEvent } from '../../calls/events/event.ts';
import type { EventRow } from '../../calls/events/event-columns.ts';
import { parseEvent } from './body.ts';
import type { CommitGroup, WaitingRequest } from './group.ts';
import type { Journal } from './journal/journal.ts';
import type { JournaledRequest, JournalRecord } from './journal/record.ts';

export const toJournaled = ({ events, projectId, readAtMs, receivedAtMs }: WaitingRequest): JournaledRequest => ({
  projectId,
  clientId: events[0]?.clientId ?? '',
  readAtMs,
  receivedAtMs,
  texts: events.map(({ text }) => text),
});

/** An event is not refused for a limit that was lowered since it was acknowledged. */
const limits = { maxTags: Number.POSITIVE_INFINITY };

/** The rows of a record, as acknowledged. @throws Error when an event is not valid for this release */
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

/** How long to wait before the journal is read again after a failure, in milliseconds. */
const readAgainMs = 1_000;

/** The rows of groups, once the journal can be read; undefined when `goesOn` has given up. */
export async function readRows(
  groups: readonly CommitGroup[],
  from: { writer: string; journal: Journal | undefined; goesOn: (cause: unknown) => boolean },
): Promise<readonly EventRow[] | undefined> {
  for (;;) {
    try {
      return (await Promise.all(groups.map((group) => rowsOf(group, from)))).flat();
    } catch (cause) {
      if (!from.goesOn(cause)) return undefined;
      await sleep(readAgainMs);
    }
  }
}

async function rowsOf(
  { requests, location, firstSeq }: CommitGroup,
  { writer, journal }: { writer: string; journal: Journal | undefined },
): Promise<EventRow[]> {
  if (!requests && location && journal) return toRows(writer, await journal.read(location));
  let seq = firstSeq;
  return (requests ?? []).flatMap(({ events, receivedAtMs }) =>
    events.map((event) => ({ writer, seq: seq++, receivedAtMs, event })),
  );
}

function readColumns(text: Buffer, readAtMs: number) {
  const read = readEvent(parseEvent({ bytes: text, isExact: false }), readAtMs, limits);
  if (!read.ok) {
    throw new Error(
      'The journal has an acknowledged event that this release does not take: start the one that took it',
    );
  }
  return read.columns;
}
