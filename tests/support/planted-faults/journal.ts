import type { PlantedFault } from './planted-fault.ts';

/** Faults of the journal, on which events are durable before the log has them. */
export const faultsOfTheJournal: readonly PlantedFault[] = [
  {
    id: 'damaged-record-taken',
    file: 'src/ingest/intake/journal/record.ts',
    find: ' || bytes.readUInt32LE(at + markerBytes + 4) !== crc32(bytes.subarray(bodyAt, end))',
    replace: '',
    why: 'After a crash, events are stored with bytes that nobody sent.',
    tests: { unit: ['tests/intake/journal/record.test.ts'] },
  },
  {
    id: 'replay-brings-erased-events-back',
    file: 'src/ingest/intake/journal/replay.ts',
    find: 'return Math.max(Number(found?.seq ?? 0), known?.assembled_seq ?? 0);',
    replace: 'return Number(found?.seq ?? 0);',
    why: 'After a crash, events of a customer who was erased are there again.',
    tests: { unit: ['tests/intake/journal/buffer.test.ts'] },
  },
  {
    id: 'refused-events-dropped',
    file: 'src/ingest/intake/journal/refused.ts',
    find: "await append(path, refused.map(toLine).join(''));",
    replace: '',
    why: 'An acknowledged event that the store refuses is lost.',
    tests: { unit: ['tests/intake/journal/buffer.test.ts'] },
  },
  {
    id: 'retention-before-the-log-has-all',
    file: 'src/accounts/routes.ts',
    find: 'if (retentionDays !== undefined) await options.flush();',
    replace: '',
    why: 'Days are frozen without events that were acknowledged before.',
    tests: { crash: ['tests/crash/journal.test.ts'] },
  },
];
