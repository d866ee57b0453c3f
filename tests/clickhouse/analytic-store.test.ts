import { expect, test } from 'vitest';
import { startEngineStore } from '../support/stores.ts';

test('deletions go on in the background: assembly and answers do not wait for them', async () => {
  const { store, close } = await startEngineStore();
  try {
    // The engine's own default waits until every part is written anew: seconds, for a few months.
    expect(await store.select("SELECT toString(getSetting('mutations_sync')) AS waits")).toEqual([{ waits: '0' }]);
  } finally {
    await close();
  }
});
