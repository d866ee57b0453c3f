/** The time, in milliseconds since 1970. Injected, so that a test can say what time it is. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
