// The values that the global set-up passes to tests through vitest's `inject`.
/** The stores of a service: an embedded engine and SQLite, or an engine and a PostgreSQL beside it. */
export type StoresKind = 'sqlite' | 'servers';

declare module 'vitest' {
  interface ProvidedContext {
    /** A running PostgreSQL server, in every project. Tests make their own database on it: `createDatabase` in postgres.ts. */
    postgresUrl: string;
    /** The stores of the shared service; only in projects whose tests use that service. */
    stores: StoresKind;
    /** Whether that service seals days at once, or never while the tests run. */
    seals: boolean;
    /** Whether that service looks for alerts. */
    alerts: boolean;
    serviceUrl: string;
    /** The intake at the root of its own port (D3.1). */
    intakeRootUrl: string;
    adminToken: string;
    /** Where that service reads provider accounts: nobody answers there until a test starts a `ProviderServer`. */
    providerPort: number;
    /** The data folders of the shared service and of its engine. */
    dataDirs: string[];
  }
}
