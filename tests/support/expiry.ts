// Keys that expire while a test looks on.

interface Life<Key, Used> {
  /** Uses it; must succeed if that is over before the key expires. */
  readonly use: (key: Key, expiresAt: number) => Promise<Used>;
  /** How long the key is to live, in milliseconds, on a machine that is fast enough to use it by then. */
  readonly lifeMs: number;
}

/** Makes a key and uses it, again with a longer life where the machine was too slow for that: then the use proves nothing. */
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
