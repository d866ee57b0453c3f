import { expect, test, vi } from 'vitest';
import { freePort } from './ports.ts';

// https://fetch.spec.whatwg.org/#port-blocking
const refusedByFetch = 10_080;

test('a free port is not one that fetch blocks', async () => {
  const processes = 1_300;
  vi.spyOn(process, 'pid', 'get').mockReturnValue(processes + 5);

  const port = await freePort();

  expect(port).not.toBe(refusedByFetch);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});
