interface Closeable {
  close(): Promise<void> | void;
}

/** Keeps what was just opened, to be closed later; gives it back. */
export type Keep = <T extends Closeable>(opened: T) => T;

/**
 * Opens things that belong together. The `close` that it adds closes what `open` has kept, the last first, and does so
 * once. A failed `close` keeps no other from being closed; the first error is thrown after the last of them. When `open`
 * fails, what it has kept is closed, and its error is thrown.
 */
export async function openTogether<T extends object>(
  open: (keep: Keep) => Promise<T>,
): Promise<T & { close(): Promise<void> }> {
  const kept: Closeable[] = [];
  const close = async () => {
    const errors = await closeAll(kept.splice(0).reverse());
    if (errors.length > 0) throw errors[0];
  };
  try {
    const opened = await open((one) => {
      kept.push(one);
      return one;
    });
    return { ...opened, close };
  } catch (error) {
    await closeAll(kept.splice(0).reverse());
    throw error;
  }
}

/** Closes one after the other, and gives back what they have thrown. */
async function closeAll(open: readonly Closeable[]): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const one of open) {
    try {
      await one.close();
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}
