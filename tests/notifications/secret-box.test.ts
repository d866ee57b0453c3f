import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSecretBox, SecretBox } from '../../src/lib/secret-box.ts';
import { makeDataDir } from '../support/service.ts';

let dataDir: string;

beforeEach(() => {
  dataDir = makeDataDir();
});

afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

const unset = { secretsKey: undefined, postgresUrl: undefined };

test('D20.5: a secret opens with its key and for its owner alone', () => {
  const [box, same, other] = [new SecretBox('key 1'), new SecretBox('key 1'), new SecretBox('key 2')];
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (secret) => {
      const sealed = box.seal(secret, 'nep_1');
      expect(same.open(sealed, 'nep_1')).toBe(secret);
      expect(other.open(sealed, 'nep_1')).toBeUndefined();
      expect(box.open(sealed, 'nep_2')).toBeUndefined();
      expect(box.seal(secret, 'nep_1')).not.toBe(sealed);
    }),
  );
});

test('D20.5: a sealed secret with any byte changed, cut or replaced does not open', () => {
  const box = new SecretBox('key 1');
  const sealed = box.seal('whsec_c2VjcmV0', 'nep_1');
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(box.open(`v1.${changed.toString('base64url')}`, 'nep_1')).toBeUndefined();
    expect(box.open(`v1.${bytes.subarray(0, at).toString('base64url')}`, 'nep_1')).toBeUndefined();
  }
  for (const text of ['', 'v1', 'v1.', 'v2.AAAA', sealed.slice(3)]) expect(box.open(text, 'nep_1')).toBeUndefined();
});

test('D20.5: without a configured key one is made in the data folder, for its owner alone, and kept', () => {
  const sealed = openSecretBox({ ...unset, dataDir })?.seal('whsec_c2VjcmV0', 'nep_1') ?? '';
  const path = join(dataDir, 'secrets-key');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(openSecretBox({ ...unset, dataDir })?.open(sealed, 'nep_1')).toBe('whsec_c2VjcmV0');
  // The text of the file is what the setting takes: data that moves to servers takes its key along.
  const secretsKey = readFileSync(path, 'utf8').trim();
  const moved = openSecretBox({ dataDir: '/nowhere', secretsKey, postgresUrl: 'postgres://host/db' });
  expect(moved?.open(sealed, 'nep_1')).toBe('whsec_c2VjcmV0');
  writeFileSync(path, 'another key');
  expect(openSecretBox({ ...unset, dataDir })?.open(sealed, 'nep_1')).toBeUndefined();
});

test('D20.5: on PostgreSQL there is no key but the configured one, since other instances must open what one seals', () => {
  expect(openSecretBox({ ...unset, dataDir, postgresUrl: 'postgres://host/db' })).toBeUndefined();
});
