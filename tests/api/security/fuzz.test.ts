// A few random requests. The long form sends 100,000, to the administrator's routes too (tests/security/fuzz.test.ts).
import { test } from 'vitest';
import { fuzz } from '../../security/fuzz.ts';
import { sharedFarthing } from '../../support/client.ts';

test('D11.2, D11.3: random requests of a project are answered as the document says, never with a 500', async () => {
  await fuzz(sharedFarthing(), 100, ({ path }) => !path.startsWith('/admin/'));
});
