import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';

test('D13.1, D20.5: hosts of webhooks are names and addresses, in the form that a URL gives them', () => {
  const read = (FARTHING_WEBHOOK_HOSTS: string) => readConfig({ FARTHING_WEBHOOK_HOSTS }).webhookHosts;
  expect(read('')).toEqual([]);
  expect(read('Alerts.Internal, 10.0.0.7 ,::1,[FD00::1],127.1,münchen.example.')).toEqual([
    'alerts.internal',
    '10.0.0.7',
    '::1',
    'fd00::1',
    '127.0.0.1',
    'xn--mnchen-3ya.example',
  ]);
  for (const wrong of ['a,', 'http://a', 'a:80', 'a/b', 'user@a', '*.example.com/', '10.0.0.0/8', 'a b', '[::1'])
    expect(() => read(wrong), wrong).toThrow(/FARTHING_WEBHOOK_HOSTS: must be names or addresses/);
});

test('D13.1, D20.5: e-mail needs a server and a sender', () => {
  const url = { FARTHING_SMTP_URL: 'smtps://user:password@mail.example.com' };
  expect(readConfig({}).mail).toBeUndefined();
  for (const from of ['farthing@example.com', 'Farthing <farthing@example.com>'])
    expect(readConfig({ ...url, FARTHING_SMTP_FROM: from }).mail).toEqual({ url: url.FARTHING_SMTP_URL, from });
  expect(() => readConfig(url)).toThrow('must both be set');
  expect(() => readConfig({ FARTHING_SMTP_FROM: 'farthing@example.com' })).toThrow('must both be set');
  for (const from of ['farthing', 'a@b\r\nBcc: c@d', '<a@b', 'a@b, c@d'])
    expect(() => readConfig({ ...url, FARTHING_SMTP_FROM: from }), from).toThrow(/FARTHING_SMTP_FROM: must be/);
});

test('D13.1, D20.1: alerts are looked for every second at most, or never', () => {
  const read = (FARTHING_ALERT_EVERY_SECONDS: string) => readConfig({ FARTHING_ALERT_EVERY_SECONDS }).alertEveryMs;
  expect(['', '0', '1', '86400'].map(read)).toEqual([30_000, 0, 1_000, 86_400_000]);
  for (const wrong of ['-1', '0.5', '86401', 'never'])
    expect(() => read(wrong), wrong).toThrow(/FARTHING_ALERT_EVERY_SECONDS/);
});
