import { test } from 'vitest';
import { sharedFarthing } from '../support/client.ts';
import { checkClosed, closedHistory } from '../support/closed-history.ts';
import { checkCases } from '../support/random-cases.ts';

const farthing = sharedFarthing();

test('D19.1: of random histories, answers as of a close never change, and those of now are those without closes', async () => {
  await checkCases([closedHistory], 40, async (one) => await checkClosed(farthing, one));
});
