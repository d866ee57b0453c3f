import { hash, randomUUID, timingSafeEqual } from 'node:crypto';
import { customAlphabet } from 'nanoid';
import { monotonicFactory } from 'ulid';

const ulid = monotonicFactory();
// 40 characters of 62 are 238 bits; D1.2 asks for 32 or more.
const randomBase62 = customAlphabet('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 40);

/** A new id, sortable by creation time: `prj_` + ULID (D1.1). */
export const newId = (
  prefix:
    | 'prj'
    | 'rbd'
    | 'era'
    | 'key'
    | 'sec'
    | 'prc'
    | 'pbk'
    | 'wrt'
    | 'grt'
    | 'bak'
    | 'cls'
    | 'nep'
    | 'nat'
    | 'nts'
    | 'fir'
    | 'shk'
    | 'pva'
    | 'aud'
    | 'mem',
): string => `${prefix}_${ulid()}`;

export const newClientId = (): string => randomUUID();

/** A new secret, shown once and stored only as a hash (D1.4): `fk_…` an API key, `fs_…` a client secret, `fa_…` the admin token, `fe_…` the engine's, `fi_…` an invitation. */
export const newSecret = (prefix: 'fk' | 'fs' | 'fa' | 'fe' | 'fi'): string => `${prefix}_${randomBase62()}`;

/** The SHA-256 of a secret in hex; nothing else of a secret is stored (D1.4). */
export const hashSecret = (secret: string): string => hash('sha256', secret);

/** Whether two hashes made by {@link hashSecret} are equal, in constant time. */
export const equalHashes = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
