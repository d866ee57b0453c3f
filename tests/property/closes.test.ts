import { test } from 'vitest';
import { sharedFarthing } from '../support/client.ts';
import { checkClosed, closedHistory, endedHistory } from '../support/closed-history.ts';
import { usualOrLong } from '../support/effort.ts';
import { checkCases } from '../support/random-cases.ts';

const farthing = sharedFarthing();

test('D19.1: of random histories, answers as of a close never change, and those of now are those without closes', {
  timeout: 240_000,
}, async () => {
  // tests/crash/closed.test.ts always ends one.
  const history = usualOrLong(closedHistory, endedHistory);
  await checkCases([history], 40, async (one) => await checkClosed(farthing, one));
});
