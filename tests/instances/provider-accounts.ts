import { expect, test } from 'vitest';
import { connect } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { untilDayLasts } from '../support/midnight.ts';
import { poll } from '../support/poll.ts';
import {
  expectSums,
  makeTraffic,
  readAgain,
  readsWithin,
  setUpAccount,
  untilRead,
} from '../support/provider-accounts.ts';
import { type ProviderServer, providerKeys } from '../support/provider-server.ts';
import type { Deployment } from './deployment.ts';

/** Instances that ask one provider. */
export function testProviderAccounts(running: () => Deployment, providerOf: () => ProviderServer): void {
  test('D30.1: two instances make one reader, also when the one that reads is killed', async () => {
    await untilDayLasts();
    const [deployment, server] = [running(), providerOf()];
    server.traffic.openai = makeTraffic('openai', usualOrLong(10, 30));
    server.bucketsOfPage = 2;
    const [one, other] = deployment.instances;
    if (!one || !other) throw new Error('there are not two instances');
    let alive = one;
    const project = await connect(() => alive.url, deployment.adminToken).createProject();
    const { length: before } = server.asked;
    const made = await setUpAccount(project, { kind: 'openai', key: providerKeys.openai, mode: 'meter' });
    await poll('requests came', readsWithin, () => (server.asked.length >= before + 4 ? true : undefined));
    await one.service.kill();
    alive = other;
    const found = await untilRead(project, made);
    expect(found).toMatchObject({ calls: server.traffic.openai.length });
    await expectSums(project, server.traffic.openai);
    await deployment.revive(one);
    const { length: settled } = server.asked;
    await readAgain(project, made.id);
    const asked = server.asked.slice(settled);
    expect(new Set(asked).size).toBe(asked.length);
    // What the provider has not changed is not posted again.
    const unchanged = await readAgain(project, made.id);
    expect(unchanged.last_read).toMatchObject({ entries_changed: 0, calls_changed: 0 });
    expect(unchanged.last_read?.calls).toBeGreaterThan(0);
  });
}
