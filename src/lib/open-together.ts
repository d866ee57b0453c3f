interface Closeable {
  close(): Promise<void> | void;
}

/** Keeps what was just opened, to be closed later; gives it back. */
export type Keep = <T extends Closeable>(opened: T) => T;

/**
 * Opens things that belong together. The `close` that it adds closes what `open` has kept, the last first, and does so
 * once. When `open` fails, what it has kept is closed before the error goes on.
 */
export async function openTogether<T extends object>(
  open: (keep: Keep) => Promise<T>,
): Promise<T & { close(): Promise<void> }> {
  const kept: Closeable[] = [];
  const close = async () => {
    for (const one of kept.splice(0).reverse()) await one.close();
  };
  try {
    const opened = await open((one) => {
      kept.push(one);
      return one;
    });
    return { ...opened, close };
  } catch (error) {
    await close();
    throw error;
  }
}
