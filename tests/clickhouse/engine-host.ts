import { createClient } from '@clickhouse/client';
import { startEmbeddedEngine } from '../../src/storage/analytic/embedded/engine.ts';

/*
 * A service that does nothing but hold an engine, for tests that kill it. Run with the data folder as its argument; it
 * says on its standard output where the engine is, and keeps a query running in it when that is its second argument.
 */
const [dataDir = '', query] = process.argv.slice(2);
const logger = { info: () => {}, warn: () => {}, error: () => {} };
const engine = await startEmbeddedEngine({ dataDir, logger });
const { url, username, password } = engine;
const client = createClient({ url, username, password });
if (query !== undefined) client.command({ query }).catch(() => {});
process.stdout.write(`${JSON.stringify({ url, pid: engine.pid() })}\n`);
