import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PriceBook, resolveBook } from '../../src/pricing/price-book.ts';

function bookOf(id: string, activatedAt: number): PriceBook {
  return {
    id,
    projectId: 'prj_1',
    activatedAt,
    catalogueHash: '',
    correctionsHash: '',
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
