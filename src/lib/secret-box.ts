import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Problem } from './problem.ts';
import { openSecret } from './secret-file.ts';

/*
 * Hashes cannot sign, so the secrets of endpoints are stored encrypted (D20.5), with a key that is in no store and no
 * backup.
 */

const format = 'v1';
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts and decrypts with a key that is derived from a text. */
export class SecretBox {
  readonly #key: Buffer;

  constructor(text: string) {
    this.#key = Buffer.from(hkdfSync('sha256', text, '', 'farthing notification secrets', 32));
  }

  /** Encrypts a secret. It opens only with the same `owner`, so no row can take over the secret of another. */
  seal(secret: string, owner: string): string {
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, this.#key, nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([nonce, sealing.update(secret, 'utf8'), sealing.final(), sealing.getAuthTag()]);
    return `${format}.${sealed.toString('base64url')}`;
  }

  /** The secret; undefined if it was sealed with another key or for another owner, or is damaged. */
  open(sealed: string, owner: string): string | undefined {
    const [version, text = ''] = sealed.split('.');
    const bytes = Buffer.from(text, 'base64url');
    if (version !== format || bytes.length < nonceBytes + tagBytes) return undefined;
    const opening = createDecipheriv(cipher, this.#key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-tagBytes));
    try {
      return Buffer.concat([opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}

export interface SecretsKeySources {
  readonly dataDir: string;
  readonly secretsKey: string | undefined;
  readonly postgresUrl: string | undefined;
}

/**
 * The box with the configured key. Without one, it uses the key in the data folder, and makes it there with mode 0600
 * if there is none. Undefined on PostgreSQL without a configured key: other instances must open what this one seals.
 */
export function openSecretBox({ dataDir, secretsKey, postgresUrl }: SecretsKeySources): SecretBox | undefined {
  if (secretsKey === undefined && postgresUrl !== undefined) return undefined;
  const makeKey = () => randomBytes(32).toString('base64url');
  return new SecretBox(openSecret(secretsKey, join(dataDir, 'secrets-key'), makeKey).secret);
}

/** The box, also for what was made before the key was lost. @throws Problem `unavailable` without one */
export function needBox(box: SecretBox | undefined, owners: 'endpoints' | 'hooks' | 'provider accounts'): SecretBox {
  if (box) return box;
  const detail = `On PostgreSQL the secrets of ${owners} need FARTHING_SECRETS_KEY, which is not set.`;
  throw new Problem('unavailable', detail);
}
