/** The public surface of `@farthing/sdk`. */
export type { Attribution, AttributionStore } from './attribution.ts';
export type { CallFields } from './call.ts';
export { Farthing } from './farthing.ts';
export type { AiSdkMiddleware } from './middleware.ts';
export type { Problem, ProblemCode } from './problems.ts';
export type { FarthingOptions } from './settings.ts';
export type { WrapOptions } from './wrap.ts';
