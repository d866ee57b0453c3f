import { appendFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { readClientSettings } from '../config.ts';
import { importSources } from '../ingest/imports/sources.ts';
import { parseJson } from '../lib/json.ts';
import { CommandError, pathStep, serviceUrl } from './api.ts';
import { checkFiles } from './files.ts';
import { type ImportBatch, readBatches } from './import-batches.ts';
import { importExports } from './import-exports.ts';
import { openIntake, type Posted } from './post-events.ts';
import { printJson } from './print.ts';
import { startBar } from './progress-bar.ts';

interface ImportOptions {
  readonly url?: string;
  readonly clientId?: string;
  readonly secret?: string;
  readonly restart?: boolean;
  readonly inOrder?: boolean;
  readonly json?: boolean;
  readonly from?: keyof typeof importSources;
  readonly apiKey?: string;
  readonly token?: string;
}

/** The progress of an import, stored beside the file so that an interrupted import can continue. */
interface ImportState {
  readonly size: number;
  readonly modifiedAt: number;
  readonly target: string;
  /** All lines before this byte are acknowledged. */
  readonly offset: number;
  readonly accepted: number;
  readonly refused: number;
}

const batchSize = { maxLines: 5_000, maxBytes: 8 * 1_048_576 };
/** Concurrent requests: while the service stores one, it reads and checks the next. */
const concurrency = 3;

/** `farthing import`: posts an NDJSON file of events, and continues after an interruption. */
export function importCommand(): Command {
  return new Command('import')
    .description('Post a file of events, one JSON object a line (NDJSON), or exports of another system.')
    .argument('<file...>', 'the file; with --from, all files of the export')
    .addOption(new Option('--from <system>', 'the system that exported the files').choices(Object.keys(importSources)))
    .option('--url <url>', 'address of the service (default: FARTHING_URL, else http://127.0.0.1:8787)')
    .option('--client-id <id>', 'the client to post as (default: FARTHING_CLIENT_ID)')
    .option('--secret <secret>', 'its secret (default: FARTHING_CLIENT_SECRET)')
    .option('--api-key <key>', 'a key with the scope read, for the table of --from (default: FARTHING_API_KEY)')
    .option('--token <token>', 'or the admin token (default: FARTHING_ADMIN_TOKEN, else the file in FARTHING_DATA_DIR)')
    .option('--restart', 'start from the beginning instead of continuing an interrupted import')
    .option('--in-order', 'post one batch at a time, so that events are received in the order of the file; slower')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Run the same command again to continue an interrupted import. Its progress is in <file>.import-state.
An event that is posted twice counts once if it has a "timestamp" or is posted again within 48 hours.
Without a "timestamp", an event has its time of receipt.
If events with the same id contradict each other, the one received last wins: with --in-order, the last of the file.

With --from, the files may be JSON, JSONL or CSV, also compressed by gzip. The same command can be run again: a call keeps
its id and its time, and counts once. It ends with a table of what the calls cost, here and there.

Example:
  farthing import events.ndjson --client-id 4f0c… --secret fs_…
  farthing import --from langfuse observations.jsonl --client-id 4f0c… --secret fs_… --api-key fk_…`,
    )
    .action(runImport);
}

async function runImport(files: readonly string[], options: ImportOptions): Promise<void> {
  const settings = readClientSettings();
  const clientId = options.clientId ?? settings.clientId;
  const secret = options.secret ?? settings.clientSecret;
  if (!clientId || !secret)
    throw new CommandError('Give --client-id and --secret, or set FARTHING_CLIENT_ID and FARTHING_CLIENT_SECRET.');
  checkFiles(files);
  const [file = '', ...others] = files;
  if (options.from !== undefined) {
    const { from: source, json = false, token } = options;
    if (options.restart || options.inOrder) {
      throw new CommandError('--restart and --in-order are for a file of events; --from needs neither.');
    }
    const apiKey = options.apiKey ?? settings.apiKey;
    const access = { url: serviceUrl(options), clientId, secret, apiKey, token };
    return await importExports(importSources[source], files, { access, json });
  }
  if (others.length > 0) throw new CommandError('Give one file of events, or --from for the files of an export.');

  const url = `${serviceUrl(options)}/intake/${pathStep(clientId)}/`;
  const { size, mtimeMs } = statSync(file);
  const start: ImportState = { size, modifiedAt: mtimeMs, target: url, offset: 0, accepted: 0, refused: 0 };
  const statePath = `${file}.import-state`;
  const kept = options.restart ? undefined : readState(statePath);
  let state = kept && kept.size === size && kept.modifiedAt === mtimeMs && kept.target === url ? kept : start;
  if (state !== start) console.error(`Continuing at byte ${state.offset} of ${size}.`);

  const refusedPath = `${file}.refused`;
  if (state === start) rmSync(refusedPath, { force: true });
  const startedAt = performance.now();
  const acceptedBefore = state.accepted;
  const figures = () => ({
    events: state.accepted,
    rate: Math.round((state.accepted - acceptedBefore) / Math.max((performance.now() - startedAt) / 1_000, 0.001)),
  });
  const bar = startBar(
    size,
    () => `Interrupted at byte ${state.offset} of ${size}. Run the same command again to continue.`,
    '{bar} {percentage}% | {events} events | {rate}/s | {eta_formatted} left',
  );
  bar.update(state.offset, figures());

  const post = openIntake({ url, secret });
  // Answers are handled in the order of the file, so that the offset never passes an unacknowledged line.
  const underWay: { readonly batch: ImportBatch; readonly outcome: Promise<Posted> }[] = [];
  const settle = async () => {
    const next = underWay.shift();
    if (!next) return;
    const { accepted, faults } = await next.outcome;
    if (faults.length > 0) keepRefused(refusedPath, next.batch, faults);
    const refusedLines = next.batch.lines - accepted;
    state = {
      ...state,
      offset: next.batch.end,
      accepted: state.accepted + accepted,
      refused: state.refused + refusedLines,
    };
    writeState(statePath, state);
    bar.update(state.offset, figures());
  };
  try {
    for await (const batch of readBatches(file, state.offset, batchSize)) {
      const outcome = post(batch.body);
      // The outcome is awaited later; until then a failure must not count as unhandled.
      outcome.catch(() => undefined);
      underWay.push({ batch, outcome });
      if (underWay.length >= (options.inOrder ? 1 : concurrency)) await settle();
    }
    while (underWay.length > 0) await settle();
  } finally {
    bar.stop();
  }
  rmSync(statePath, { force: true });

  const elapsedMs = Math.round(performance.now() - startedAt);
  if (options.json) printJson({ accepted: state.accepted, refused: state.refused, elapsed_ms: elapsedMs });
  else
    console.log(
      `${state.accepted} events stored in ${(elapsedMs / 1_000).toFixed(1)} s (${figures().rate} per second), ${state.refused} refused.`,
    );
  if (state.refused > 0)
    throw new CommandError(
      `${state.refused === 1 ? 'One line was' : `${state.refused} lines were`} refused; ${refusedPath} has the lines and the reasons.`,
    );
}

/** Appends the faults, each with its line, to the file of refused lines. */
function keepRefused(path: string, batch: ImportBatch, faults: Posted['faults']): void {
  const lines = batch.body
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '');
  const entries = faults.map(({ pointer, message }) => {
    const index = Number(pointer.split('/')[1]);
    return `${JSON.stringify({ pointer: pointer.replace(/^\/\d+/, ''), message, line: lines[index] })}\n`;
  });
  appendFileSync(path, entries.join(''));
}

function readState(path: string): ImportState | undefined {
  try {
    return parseJson(readFileSync(path, 'utf8')) as ImportState;
  } catch {
    return undefined;
  }
}

/** Replaces the state atomically: an interruption leaves the old or the new one. */
function writeState(path: string, state: ImportState): void {
  writeFileSync(`${path}.new`, JSON.stringify(state));
  renameSync(`${path}.new`, path);
}
