interface Closeable {
  close(): Promise<void> | void;
}

/** Registers an opened thing to be closed later, and returns it. */
export type Keep = <T extends Closeable>(opened: T) => T;

/**
 * `close` closes everything that `open` registered, the last first, once; all are closed, then the first error is
 * thrown. If `open` fails, everything registered is closed.
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

/** Closes one after the other, and returns the errors. */
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
