/** A process that can say that it has nothing left to do: Node.js, Bun and Deno. */
interface Process {
  on?: (event: 'beforeExit', listener: () => void) => unknown;
}

const waiting = new Set<() => void>();
let isListening = false;

/** Calls the function when the process is about to end, until it is released. One listener serves all. */
export function onExit(fn: () => void): () => void {
  waiting.add(fn);
  if (!isListening) {
    isListening = true;
    const { process } = globalThis as { process?: Process };
    process?.on?.('beforeExit', () => {
      for (const one of waiting) one();
    });
  }
  return () => {
    waiting.delete(fn);
  };
}
