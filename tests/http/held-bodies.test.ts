import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import type { App } from '../../src/lib/http/app.ts';
import { boundHeldBodies } from '../../src/lib/http/held-bodies.ts';

const most = 1_000;

/** The bound without a server: its hooks only note when a body is not needed any more. */
function openBound() {
  const app = { decorateRequest: () => undefined, addHook: () => undefined } as unknown as App;
  const { hold, release } = boundHeldBodies(app, most);
  const ask = (project: string, caller: string) =>
    ({ sender: { project, caller }, ip: '::1', heldBytes: 0 }) as unknown as FastifyRequest;
  const isTaken = (request: FastifyRequest, bytes: number) => {
    try {
      hold(request, bytes);
      return true;
    } catch {
      return false;
    }
  };
  return { ask, isTaken, release };
}

test('D3.7: a project holds at most what is left free, and a caller half of that', () => {
  const { ask, isTaken, release } = openBound();
  const first = ask('p', 'a');
  expect(isTaken(first, 400)).toBe(true);
  // 400 and 100 are less than the 500 left, but more than half of them.
  expect(isTaken(ask('p', 'a'), 100)).toBe(false);
  const second = ask('p', 'b');
  expect(isTaken(second, 100)).toBe(true);
  expect(isTaken(ask('p', 'c'), 1)).toBe(false);
  expect(isTaken(ask('q', 'a'), 500)).toBe(true);
  release(second);
  expect(isTaken(ask('p', 'c'), 100)).toBe(false);
  release(first);
  expect(isTaken(ask('p', 'a'), 100)).toBe(true);
});

test('D3.7: whatever a project sends, half of all is left for others, unless one body takes it', () => {
  const sent = fc.record({ caller: fc.constantFrom('a', 'b', 'c', 'd'), bytes: fc.integer({ min: 1, max: 400 }) });
  fc.assert(
    fc.property(fc.array(sent, { minLength: 2, maxLength: 30 }), (bodies) => {
      const { ask, isTaken } = openBound();
      const taken = bodies.filter(({ caller, bytes }) => isTaken(ask('p', caller), bytes));
      const held = taken.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(held).toBeLessThanOrEqual(most / 2);
      expect(isTaken(ask('q', 'a'), most - held)).toBe(true);
    }),
  );
});
