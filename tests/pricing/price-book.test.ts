import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AppliedReprice, type PriceBook, resolveBook, resolveReprice } from '../../src/pricing/price-book.ts';

function bookOf(id: string, activatedAt: number): PriceBook {
  return {
    id,
    projectId: 'prj_1',
    activatedAt,
    catalogueHash: '',
    correctionsHash: '',
    furtherHash: null,
    overrides: [],
    timezone: 'UTC',
  };
}

describe('the book that prices a call (D5.7)', () => {
  const books = [bookOf('pb_2', 200), bookOf('pb_1', 100), bookOf('pb_3', 300)];

  it('is the newest that was active when the first outcome was received', () => {
    const at = (receivedAt: number) => resolveBook(books, receivedAt)?.id;
    expect([at(100), at(199), at(200), at(299), at(300), at(1e15)]).toEqual([
      'pb_1',
      'pb_1',
      'pb_2',
      'pb_2',
      'pb_3',
      'pb_3',
    ]);
  });

  it('is the first for a call from before it', () => {
    expect(resolveBook(books, 99)?.id).toBe('pb_1');
  });

  it('is the later of two that became active at once', () => {
    expect(resolveBook([bookOf('pb_b', 100), bookOf('pb_a', 100)], 100)?.id).toBe('pb_b');
    expect(resolveBook([bookOf('pb_a', 100), bookOf('pb_b', 100)], 100)?.id).toBe('pb_b');
  });

  it('is none where there is none', () => {
    expect(resolveBook([], 100)).toBeUndefined();
  });

  it('stays the same when books are added that become active later', () => {
    const instant = fc.nat({ max: 50 });
    fc.assert(
      fc.property(
        fc.array(instant, { minLength: 1 }),
        instant,
        fc.array(instant),
        (activations, receivedAt, delays) => {
          const now = activations.map((activatedAt, index) => bookOf(`pb_${index}`, activatedAt));
          fc.pre(now.some(({ activatedAt }) => activatedAt <= receivedAt));
          const later = delays.map((delay, index) => bookOf(`pb_later_${index}`, receivedAt + 1 + delay));
          expect(resolveBook([...later, ...now], receivedAt)).toEqual(resolveBook(now, receivedAt));
        },
      ),
    );
  });
});

describe('the reprice that covers a call (D5.5, D5.7)', () => {
  const at = (text: string) => Date.parse(text);
  const repriceOf = (bookId: string, appliedAt: string, fields: Partial<AppliedReprice> = {}): AppliedReprice => ({
    bookId,
    dateFrom: '2024-05-02',
    dateTo: '2024-05-03',
    timezone: 'UTC',
    appliedAt: at(appliedAt),
    ...fields,
  });
  const bookAt = (reprices: readonly AppliedReprice[], time: string, receivedAt = time) =>
    resolveReprice(reprices, { time: at(time), firstReceivedAt: at(receivedAt) })?.bookId;

  it('has the day of the call among its days, the first and the last included', () => {
    const reprices = [repriceOf('r', '2024-06-01T00:00:00Z')];
    const days = [
      '2024-05-01T23:59:59.999Z',
      '2024-05-02T00:00:00Z',
      '2024-05-03T23:59:59.999Z',
      '2024-05-04T00:00:00Z',
    ];
    expect(days.map((time) => bookAt(reprices, time))).toEqual([undefined, 'r', 'r', undefined]);
  });

  it('means its days in the timezone that it was asked in', () => {
    const reprices = [repriceOf('r', '2024-06-01T00:00:00Z', { timezone: 'America/New_York' })];
    const times = ['2024-05-02T03:59:59Z', '2024-05-02T04:00:00Z', '2024-05-04T03:59:59Z', '2024-05-04T04:00:00Z'];
    expect(times.map((time) => bookAt(reprices, time))).toEqual([undefined, 'r', 'r', undefined]);
  });

  it('covers what was received until it was applied, and nothing later', () => {
    const reprices = [repriceOf('r', '2024-06-01T00:00:00Z')];
    expect(bookAt(reprices, '2024-05-02T12:00:00Z', '2024-06-01T00:00:00Z')).toBe('r');
    expect(bookAt(reprices, '2024-05-02T12:00:00Z', '2024-06-01T00:00:00.001Z')).toBeUndefined();
  });

  it('is the latest of several, whatever their order', () => {
    const [first, second, elsewhere] = [
      repriceOf('first', '2024-06-01T00:00:00Z'),
      repriceOf('second', '2024-06-02T00:00:00Z'),
      repriceOf('elsewhere', '2024-06-03T00:00:00Z', { dateFrom: '2024-05-09', dateTo: '2024-05-09' }),
    ];
    const time = '2024-05-02T12:00:00Z';
    expect(bookAt([first, second, elsewhere], time)).toBe('second');
    expect(bookAt([elsewhere, second, first], time)).toBe('second');
    // A call that was first received between the two.
    expect(bookAt([first, second], time, '2024-06-01T12:00:00Z')).toBe('second');
    expect(bookAt([second, first], time, '2024-06-02T12:00:00Z')).toBeUndefined();
  });

  it('is none where there is none', () => {
    expect(bookAt([], '2024-05-02T12:00:00Z')).toBeUndefined();
  });
});
