// A logger that nobody reads.
import type { Logger } from '../../../src/lib/logger.ts';

const nothing = () => undefined;
export const quiet: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
