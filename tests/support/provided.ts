// What the global set-up hands to tests through vitest's `inject`.
/** The stores of a service: within it and in SQLite, or an engine and a PostgreSQL beside it. */
export type StoresKind = 'sqlite' | 'servers';

declare module 'vitest' {
  interface ProvidedContext {
    /** A running PostgreSQL server, in every project. Make a database of your own on it: `createDatabase` in postgres.ts. */
    postgresUrl: string;
    /** The stores of the shared service; only in the projects whose tests use that service. */
    stores: StoresKind;
    /** Whether that service rolls days up at once, or not as long as the tests run. */
    seals: boolean;
    serviceUrl: string;
    /** The intake at the root of its own port (D3.1). */
    intakeRootUrl: string;
    adminToken: string;
    /** The folders of the shared service and of its engine. */
    dataDirs: string[];
  }
}
