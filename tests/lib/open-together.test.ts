import { beforeEach, expect, test } from 'vitest';
import { openTogether } from '../../src/lib/open-together.ts';

let closed: string[] = [];
const thing = (name: string) => ({ close: () => void closed.push(name) });

beforeEach(() => {
  closed = [];
});

test('resources that were opened together are closed once, the last first', async () => {
  const opened = await openTogether(async (keep) => {
    keep(thing('stores'));
    keep(
      await openTogether(async (keepInner) => ({
        one: keepInner(thing('signalBus')),
        two: keepInner(thing('loop')),
      })),
    );
    return { url: 'http://localhost' };
  });
  expect(opened.url).toBe('http://localhost');
  expect(closed).toEqual([]);
  await opened.close();
  await opened.close();
  expect(closed).toEqual(['loop', 'signalBus', 'stores']);
});

test('when opening fails in the middle, the open resources are closed and the error is thrown', async () => {
  const start = openTogether(async (keep) => {
    keep(thing('stores'));
    keep(
      await openTogether(async (keepInner) => {
        keepInner(thing('signalBus'));
        throw new Error('the port is taken');
      }),
    );
    keep(thing('ports'));
    return {};
  });
  await expect(start).rejects.toThrow('the port is taken');
  expect(closed).toEqual(['signalBus', 'stores']);
});

const broken = (name: string) => ({
  close: () => {
    closed.push(name);
    throw new Error(`${name} cannot be closed`);
  },
});

test('when a resource cannot be closed, the others are closed too, and its error is thrown', async () => {
  const opened = await openTogether(async (keep) => {
    keep(thing('stores'));
    keep(broken('signalBus'));
    keep(broken('loop'));
    return {};
  });
  await expect(opened.close()).rejects.toThrow('loop cannot be closed');
  expect(closed).toEqual(['loop', 'signalBus', 'stores']);
});

test('when opening fails and a resource cannot be closed, the others are closed and the first cause is thrown', async () => {
  const start = openTogether(async (keep) => {
    keep(thing('stores'));
    keep(broken('signalBus'));
    throw new Error('the port is taken');
  });
  await expect(start).rejects.toThrow('the port is taken');
  expect(closed).toEqual(['signalBus', 'stores']);
});
