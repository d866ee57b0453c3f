export { resolveRange } from '../lib/range.ts';
