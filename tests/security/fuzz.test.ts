// Random requests to every route. tests/api/security/fuzz.test.ts sends some in the usual form.
import { rmSync } from 'node:fs';
import { inject, test } from 'vitest';
import { connect } from '../support/client.ts';
import { createDatabase } from '../support/postgres.ts';
import { startPriceUpstream } from '../support/price-upstream.ts';
import { makeMigratedDataDir, startService } from '../support/service.ts';
import { fuzz } from './fuzz.ts';

test.each(['sqlite', 'postgres'] as const)(
  'D11.2, D11.3: random requests over %s are answered as the document says, never with a 500',
  { timeout: 3_600_000 },
  async (controlStore) => {
    const upstream = await startPriceUpstream();
    const service = await startService({
      dataDir: makeMigratedDataDir(),
      env: { FARTHING_PRICE_CATALOGUE_URL: upstream.url, FARTHING_SEAL_AFTER_SECONDS: '0' },
      ...(controlStore === 'postgres' && { postgresUrl: await createDatabase(inject('postgresUrl')) }),
    });
    try {
      await fuzz(connect(service.url, service.adminToken), 50_000);
    } finally {
      await service.stop();
      rmSync(service.dataDir, { recursive: true, force: true });
      await upstream.stop();
    }
  },
);
