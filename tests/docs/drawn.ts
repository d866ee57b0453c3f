// The walks through the documentation that need a service of their own. Both post, ask and compare what is printed.
import { drawOf } from '../support/draw.ts';

/** Usually one of the two; each file draws by its own seed, so that a run may try both or neither. */
export const drawnWalks = drawOf(['the tutorial', 'the pages that connect an application'], 1);
