// What the global set-up hands to tests through vitest's `inject`.
export type ControlStore = 'sqlite' | 'postgres';

declare module 'vitest' {
  interface ProvidedContext {
    /** A running PostgreSQL server, in every project. Make a database of your own on it: `createDatabase` in postgres.ts. */
    postgresUrl: string;
    /** The control store of the shared service; only in the projects whose tests use that service. */
    controlStore: ControlStore;
    serviceUrl: string;
    /** The intake at the root of its own port (D3.1). */
    intakeRootUrl: string;
    adminToken: string;
    dataDir: string;
  }
}
