import type { PlantedFault } from './planted-fault.ts';

const deliveries = { unit: ['tests/notifications/deliveries.test.ts'] };
const claims = { unit: ['tests/notifications/claims.test.ts'] };
const guard = { unit: ['tests/lib/guarded-request.test.ts'] };

/** Faults of notifications, and of the requests that send them. */
export const faultsOfNotifications: readonly PlantedFault[] = [
  {
    id: 'notification-noted-before-it-is-sent',
    file: 'src/alerting/notifications/deliveries.ts',
    find: '.set({ claimed_by: sender, claimed_until: now + claimMs })',
    replace: ".set({ ...finished('delivered', now), claimed_by: sender, claimed_until: now + claimMs })",
    why: 'A service that is killed while it sends has lost the notification.',
    tests: claims,
  },
  {
    id: 'claims-never-expire',
    file: 'src/alerting/notifications/deliveries.ts',
    find: 'const claimMs = 30_000;',
    replace: 'const claimMs = 30_000_000_000;',
    why: 'What a dead instance was sending is never sent again.',
    tests: claims,
  },
  {
    id: 'claims-of-others-are-ignored',
    file: 'src/alerting/notifications/deliveries.ts',
    find: '    .where(isFree({ now, sender, exclusive }))\n',
    replace: '',
    why: 'Two instances send the same notification at the same time.',
    tests: claims,
  },
  {
    id: 'slow-endpoint-takes-all-room',
    file: 'src/alerting/notifications/notifier.ts',
    find: 'perEndpoint: maxOfEndpoint,',
    replace: 'perEndpoint: maxUnderWay,',
    why: 'One slow endpoint holds up the notifications of all projects.',
    tests: deliveries,
  },
  {
    id: 'gone-endpoint-stays-enabled',
    file: 'src/alerting/notifications/deliveries.ts',
    find: "enabled: 0, disabled_reason: 'gone'",
    replace: "enabled: 1, disabled_reason: 'gone'",
    why: 'An endpoint that asked for no more is sent every alert.',
    tests: deliveries,
  },
  {
    id: 'old-secret-signs-for-ever',
    file: 'src/alerting/notifications/send.ts',
    find: 'endpoint.old_secret_until <= now',
    replace: 'endpoint.old_secret_until <= 0',
    why: 'A leaked secret goes on verifying after its rotation.',
    tests: { unit: ['tests/notifications/signatures.test.ts'] },
  },
  {
    id: 'secret-of-another-endpoint',
    file: 'src/lib/secret-box.ts',
    find: '.setAAD(Buffer.from(owner))\n      .setAuthTag',
    replace: '.setAAD(Buffer.alloc(0))\n      .setAuthTag',
    why: 'Sealed secrets do not open, or open for other endpoints.',
    tests: { unit: ['tests/notifications/secret-box.test.ts'] },
  },
  {
    id: 'address-checked-by-the-first-answer',
    file: 'src/lib/guarded-request.ts',
    find: '!addresses.every(({ address }) => isPublicAddress(address))',
    replace: '!isPublicAddress(first.address)',
    why: 'A name with a public and a private address leads inside.',
    tests: guard,
  },
  {
    id: 'literal-addresses-unchecked',
    file: 'src/lib/guarded-request.ts',
    find: 'if (isIP(host) !== 0 && !isPublicAddress(host)) return notPublic;',
    replace: 'if (isIP(host) === 4 && !isPublicAddress(host)) return notPublic;',
    why: 'https://[::1]/ reaches the machine itself.',
    tests: guard,
  },
  {
    id: 'connection-resolves-again',
    file: 'src/lib/guarded-request.ts',
    find: '      lookup: guardedLookup(reach),\n',
    replace: '',
    why: 'A name that is public when it is checked and private a moment later leads inside.',
    tests: guard,
  },
  {
    id: 'slack-text-unescaped',
    file: 'src/alerting/notifications/message.ts',
    find: "type: 'plain_text'",
    replace: "type: 'mrkdwn'",
    why: 'The name of a customer can mention a whole channel.',
    tests: { unit: ['tests/notifications/message.test.ts'] },
  },
];
