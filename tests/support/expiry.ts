// Keys that expire during a test.

interface Life<Key, Used> {
  /** Uses the key; must succeed if it ends before the key expires. */
  readonly use: (key: Key, expiresAt: number) => Promise<Used>;
  /** The key's lifetime in milliseconds, long enough for a fast machine to use it. */
  readonly lifeMs: number;
}

/** Makes a key and uses it. A use that ends after the expiry proves nothing: it is retried with twice the lifetime. */
export async function untilUsedInTime<Key, Used>(
  make: (expiresAt: string) => Promise<Key>,
  { use, lifeMs }: Life<Key, Used>,
): Promise<{ readonly key: Key; readonly used: Used; readonly expiresAt: number }> {
  const expiresAt = Date.now() + lifeMs;
  try {
    const key = await make(new Date(expiresAt).toISOString());
    return { key, used: await use(key, expiresAt), expiresAt };
  } catch (error) {
    if (Date.now() < expiresAt) throw error;
    return await untilUsedInTime(make, { use, lifeMs: 2 * lifeMs });
  }
}
