import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { readClientSettings } from '../config.ts';
import { parseJson } from '../lib/json.ts';
import { CommandError, describeRefusal, pathStep, serviceUrl } from './api.ts';
import { type ImportBatch, readBatches } from './import-batches.ts';
import { printJson } from './print.ts';

interface ImportOptions {
  readonly url?: string;
  readonly clientId?: string;
  readonly secret?: string;
  readonly restart?: boolean;
  readonly inOrder?: boolean;
  readonly json?: boolean;
}

/** How far an import has come: kept beside the file, so that it can go on after an interruption. */
interface ImportState {
  readonly size: number;
  readonly modifiedAt: number;
  readonly target: string;
  /** Everything before this byte was acknowledged. */
  readonly offset: number;
  readonly accepted: number;
  readonly refused: number;
}

interface Outcome {
  readonly accepted: number;
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
}

const batchSize = { maxLines: 5_000, maxBytes: 8 * 1_048_576 };
/** Requests under way at once: while one is stored, the next is read and checked. */
const concurrency = 3;
const firstRetryMs = 200;
const lastRetryMs = 5_000;
const maxAttempts = 60;

/** `farthing import`: posts an NDJSON file of events, and goes on where it was interrupted. */
export function importCommand(): Command {
  return new Command('import')
    .description('Post a file of events, one JSON object a line (NDJSON).')
    .argument('<file>', 'the file')
    .option('--url <url>', 'where the service is (default: FARTHING_URL, else http://127.0.0.1:8787)')
    .option('--client-id <id>', 'the client to post as (default: FARTHING_CLIENT_ID)')
    .option('--secret <secret>', 'its secret (default: FARTHING_CLIENT_SECRET)')
    .option('--restart', 'begin again instead of going on where an earlier import was interrupted')
    .option('--in-order', 'post one batch after the other: slower, and events are received in the order of the file')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
An import that was interrupted goes on where it was: how far it came is kept in <file>.import-state.
An event that is posted twice counts once, so nothing is counted double, as long as it carries a "timestamp" or
is posted again within 48 hours. One without a "timestamp" is dated by its receipt.
Where a file has several events of one id that contradict each other, which of them is received last decides: --in-order
makes that the last of the file.

Example:
  farthing import events.ndjson --client-id 4f0c… --secret fs_…`,
    )
    .action(runImport);
}

async function runImport(file: string, options: ImportOptions): Promise<void> {
  const settings = readClientSettings();
  const clientId = options.clientId ?? settings.clientId;
  const secret = options.secret ?? settings.clientSecret;
  if (!clientId || !secret)
    throw new CommandError(
      'Say as whom to post: --client-id and --secret, or FARTHING_CLIENT_ID and FARTHING_CLIENT_SECRET.',
    );
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}.`);

  const url = `${serviceUrl(options)}/intake/${pathStep(clientId)}/`;
  const { size, mtimeMs } = statSync(file);
  const start: ImportState = { size, modifiedAt: mtimeMs, target: url, offset: 0, accepted: 0, refused: 0 };
  const statePath = `${file}.import-state`;
  const kept = options.restart ? undefined : readState(statePath);
  let state = kept && kept.size === size && kept.modifiedAt === mtimeMs && kept.target === url ? kept : start;
  if (state !== start) console.error(`Going on at byte ${state.offset} of ${size}.`);

  const refusedPath = `${file}.refused`;
  if (state === start) rmSync(refusedPath, { force: true });
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {events} events | {rate}/s | {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    stream: process.stderr,
  });
  const startedAt = performance.now();
  const acceptedBefore = state.accepted;
  const figures = () => ({
    events: state.accepted,
    rate: Math.round((state.accepted - acceptedBefore) / Math.max((performance.now() - startedAt) / 1_000, 0.001)),
  });
  const isWatched = process.stderr.isTTY === true;
  if (isWatched) bar.start(size, state.offset, figures());

  // Answers are taken in the order of the file, so that the offset never passes what was not acknowledged.
  const underWay: { readonly batch: ImportBatch; readonly outcome: Promise<Outcome> }[] = [];
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
    if (isWatched) bar.update(state.offset, figures());
  };
  try {
    for await (const batch of readBatches(file, state.offset, batchSize)) {
      const outcome = post(url, secret, batch.body);
      // It is awaited in its turn; until then a failure must not count as unhandled.
      outcome.catch(() => undefined);
      underWay.push({ batch, outcome });
      if (underWay.length >= (options.inOrder ? 1 : concurrency)) await settle();
    }
    while (underWay.length > 0) await settle();
  } finally {
    if (isWatched) bar.stop();
  }
  rmSync(statePath, { force: true });

  const elapsedMs = Math.round(performance.now() - startedAt);
  if (options.json) printJson({ accepted: state.accepted, refused: state.refused, elapsed_ms: elapsedMs });
  else
    console.log(
      `${state.accepted} events stored in ${(elapsedMs / 1_000).toFixed(1)} s (${figures().rate} a second), ${state.refused} refused.`,
    );
  if (state.refused > 0)
    throw new CommandError(
      `${state.refused === 1 ? 'One line was' : `${state.refused} lines were`} refused; ${refusedPath} says which and why.`,
    );
}

/** Posts one batch; a service that can't take it now is asked again. */
async function post(url: string, secret: string, body: Buffer): Promise<Outcome> {
  for (let attempt = 1, retryMs = firstRetryMs; ; attempt += 1, retryMs = Math.min(2 * retryMs, lastRetryMs)) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/x-ndjson' },
      body: new Uint8Array(body),
    }).catch((cause: unknown) => {
      if (attempt >= maxAttempts) throw new CommandError(`No service answers at ${new URL(url).origin}.`, { cause });
      return undefined;
    });
    if (response) {
      const text = await response.text();
      if (response.ok) return { accepted: (parseJson(text) as { accepted: number }).accepted, faults: [] };
      if (response.status === 400) {
        const { accepted, errors = [] } = parseJson(text) as { accepted?: number; errors?: Outcome['faults'] };
        if (accepted !== undefined) return { accepted, faults: errors };
      }
      if (response.status === 401) {
        throw new CommandError(
          'The service knows no such client, or the secret is not valid: check --client-id and --secret.',
        );
      }
      const isPassing = response.status === 429 || response.status === 503;
      if (!isPassing || attempt >= maxAttempts) throw new CommandError(describeRefusal(response.status, text));
    }
    await sleep(retryMs);
  }
}

/** Keeps the faults with the lines that they are of. */
function keepRefused(path: string, batch: ImportBatch, faults: Outcome['faults']): void {
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

/** Replaces the state whole: an interruption leaves the old one or the new one. */
function writeState(path: string, state: ImportState): void {
  writeFileSync(`${path}.new`, JSON.stringify(state));
  renameSync(`${path}.new`, path);
}
