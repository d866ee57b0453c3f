/** The public surface of `@farthing/sdk/api`. */
export type { ApiOptions, AskOptions, Page, Pages } from './api/client.ts';
export { FarthingError, type Fault } from './api/error.ts';
export * from './api/routes.ts';
