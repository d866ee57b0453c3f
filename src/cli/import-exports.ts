import { appendFileSync, rmSync, statSync } from 'node:fs';
import { type Outcome, toEvent } from '../ingest/gateways/outcome-event.ts';
import { IdSet } from '../ingest/imports/id-set.ts';
import { readFile } from '../ingest/imports/read-file.ts';
import type { ImportSource } from '../ingest/imports/source.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { CommandError, pathStep, toCommandError } from './api.ts';
import { type CostReader, type ImportAccess, openCostReader } from './cost-reader.ts';
import { ImportTotals, type ReadCall } from './import-totals.ts';
import { openIntake, type Posted } from './post-events.ts';
import { printJson } from './print.ts';
import { startBar } from './progress-bar.ts';

interface ImportSettings {
  readonly access: ImportAccess;
  readonly json: boolean;
}

/** A record that is neither a call nor another known part of the export, or that the service refused. */
interface BadRecord {
  readonly file: string;
  readonly line: number;
  readonly fault: string;
}

interface Found extends ReadCall {
  readonly file: string;
  readonly line: number;
  readonly outcome: Outcome;
}

type Entry =
  | { readonly kind: 'call'; readonly call: Found }
  | { readonly kind: 'other' }
  | { readonly kind: 'bad'; readonly bad: BadRecord };

const maxBatchLines = 1_000;
const maxBatchBytes = 4 * 1_048_576;
/** Concurrent requests: while the service stores one batch, the next is read. */
const concurrency = 2;
const mostShown = 20;
const earliestMs = Date.UTC(2000, 0, 1);
const aheadMs = 23 * 3_600_000;

/**
 * Posts the calls of another system's exports (D16.2), and prints their costs by Farthing and by the source. Costs are
 * asked for once all calls are stored, so the files are read twice; sources with nested records need a third read.
 * Memory holds 16 bytes for each call.
 * @throws CommandError for files without calls; for bad records, once all others are stored
 */
export async function importExports(
  source: ImportSource,
  files: readonly string[],
  { access, json }: ImportSettings,
): Promise<void> {
  const passes = source.nesting === undefined ? 2 : 3;
  const bar = startBar(
    passes * files.reduce((sum, file) => sum + statSync(file).size, 0),
    'Interrupted. Run the same command again: a call that is stored counts once.',
  );
  const totals = new ImportTotals();
  try {
    const walk = { source, files, onBytes: (bytes: number) => bar.advance(bytes), wrappers: new IdSet() };
    const read = await openCostReader(access);
    await findWrappers(walk);
    await postCalls(walk, access, totals);
    if (read !== undefined) await readCosts(walk, read, totals);
  } catch (error) {
    toCommandError('The import stopped; run the same command again')(error);
  } finally {
    bar.stop();
  }
  if (json) printJson(totals.toJson());
  else totals.print();
  refuse(source, files, totals);
}

function refuse({ title, hint }: ImportSource, files: readonly string[], { bad, calls, others }: ImportTotals): void {
  if (bad === 0 && (calls > 0 || others > 0)) {
    if (calls === 0) throw new CommandError(`There is no call of a model in this export of ${title}: ${hint}.`);
    return;
  }
  if (calls === 0 && others === 0) {
    throw new CommandError(`${files.join(', ')} has no record of ${title}: ${hint}.`);
  }
  const were = bad === 1 ? 'One record was' : `${bad} records were`;
  const paths = files.map((file) => `${file}.refused`).join(', ');
  throw new CommandError(`${were} not imported; ${paths} has the lines and the reasons.`);
}

interface Walk {
  readonly source: ImportSource;
  readonly files: readonly string[];
  readonly onBytes: (bytes: number) => void;
  /** The ids of records that wrap another call, by `nesting`. */
  readonly wrappers: IdSet;
}

type ReadRecord = { readonly file: string; readonly line: number } & (
  | { readonly record: JsonObject; readonly fault?: never }
  | { readonly record?: never; readonly fault: string }
);

async function* readRecords({ source, files, onBytes }: Walk): AsyncGenerator<ReadRecord> {
  for (const file of files) {
    for await (const read of readFile(file, onBytes)) {
      const { line } = read;
      if ('fault' in read) yield { file, line, fault: read.fault };
      else if (!isJsonObject(read.value)) yield { file, line, fault: 'is not a JSON object' };
      else for (const record of source.unpack(read.value)) yield { file, line, record };
    }
  }
}

/** Finds the records that wrap the record of another call. They are one call, and the inner record counts. */
async function findWrappers(walk: Walk): Promise<void> {
  const { nesting } = walk.source;
  if (nesting === undefined) return;
  for await (const read of readRecords(walk)) {
    const parent = read.record === undefined ? undefined : nesting(read.record)?.parent;
    if (parent !== undefined) walk.wrappers.add(parent);
  }
}

async function* readEntries(walk: Walk): AsyncGenerator<Entry> {
  const { source, wrappers } = walk;
  for await (const read of readRecords(walk)) {
    const { file, line } = read;
    if (read.record === undefined) {
      yield { kind: 'bad', bad: { file, line, fault: read.fault } };
      continue;
    }
    const { record } = read;
    const found = source.read(record);
    if (found.kind === 'calls' && !found.outcomes.every(hasTime)) {
      yield { kind: 'bad', bad: { file, line, fault: 'has a time that is not between 2000 and tomorrow' } };
    } else if (found.kind === 'fault') yield { kind: 'bad', bad: { file, line, fault: found.fault } };
    else if (found.kind === 'other' || isWrapper(source, record, wrappers)) yield { kind: 'other' };
    else {
      for (const [index, outcome] of found.outcomes.entries()) {
        const cost = index === 0 ? found.cost : undefined;
        yield { kind: 'call', call: { file, line, outcome, cost, isFirst: index === 0, ...describe(outcome) } };
      }
    }
  }
}

function isWrapper({ nesting }: ImportSource, record: JsonObject, wrappers: IdSet): boolean {
  const self = wrappers.size === 0 ? undefined : nesting?.(record)?.self;
  return self !== undefined && wrappers.has(self);
}

/** Whether the service accepts its time (D3.9). With the time of its import it would count again at each import. */
function hasTime(outcome: Outcome): boolean {
  const { timeMs } = describe(outcome);
  return timeMs >= earliestMs && timeMs <= Date.now() + aheadMs;
}

const describe = ({ id, model = '', startMs, endMs }: Outcome) => ({ id, model, timeMs: endMs ?? startMs ?? 0 });

async function postCalls(walk: Walk, access: ImportAccess, totals: ImportTotals): Promise<void> {
  const url = `${access.url}/intake/${pathStep(access.clientId)}/`;
  for (const file of walk.files) rmSync(`${file}.refused`, { force: true });
  const onBad = (bad: BadRecord) => {
    totals.bad += 1;
    if (totals.bad <= mostShown) console.error(`${bad.file}:${bad.line} ${bad.fault}`);
    appendFileSync(`${bad.file}.refused`, `${JSON.stringify({ line: bad.line, message: bad.fault })}\n`);
  };
  const postLines = openIntake({ url, secret: access.secret });
  let batch: Found[] = [];
  let lines: Buffer[] = [];
  let bytes = 0;
  const underWay: { readonly calls: readonly Found[]; readonly posted: Promise<Posted> }[] = [];
  const settle = async () => {
    const next = underWay.shift();
    for (const { pointer, message } of (await next?.posted)?.faults ?? []) {
      const [, index = '', ...fields] = pointer.split('/');
      const call = next?.calls[Number(index)];
      if (call === undefined) continue;
      onBad({ file: call.file, line: call.line, fault: `${fields.join('.') || 'the record'} ${message}` });
      totals.refuse(call);
    }
  };
  const post = async () => {
    if (batch.length === 0) return;
    const posted = postLines(Buffer.concat(lines));
    // It is awaited later; until then a failure must not count as unhandled.
    posted.catch(() => undefined);
    underWay.push({ calls: batch, posted });
    [batch, lines, bytes] = [[], [], 0];
    if (underWay.length >= concurrency) await settle();
  };
  for await (const entry of readEntries(walk)) {
    if (entry.kind === 'bad') onBad(entry.bad);
    else if (entry.kind === 'other') totals.others += 1;
    else {
      const line = Buffer.from(`${JSON.stringify(toEvent(entry.call.outcome, false))}\n`);
      if (batch.length >= maxBatchLines || (bytes > 0 && bytes + line.length > maxBatchBytes)) await post();
      totals.add(entry.call);
      batch.push(entry.call);
      lines.push(line);
      bytes += line.length;
    }
  }
  await post();
  while (underWay.length > 0) await settle();
}

const mostAsked = 1_000;

/** Reads the files again, and asks what each call costs. */
async function readCosts(walk: Walk, read: CostReader, totals: ImportTotals): Promise<void> {
  totals.hasCosts = true;
  let ids: string[] = [];
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const seen = new IdSet();
  const flush = async () => {
    if (ids.length > 0) totals.addCosts(await read({ ids, fromMs, toMs }), ids.length);
    [ids, fromMs, toMs] = [[], Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  };
  for await (const entry of readEntries(walk)) {
    if (entry.kind !== 'call' || totals.isRefused(entry.call) || !seen.add(entry.call.id)) continue;
    const { id, timeMs } = entry.call;
    ids.push(id);
    [fromMs, toMs] = [Math.min(fromMs, timeMs), Math.max(toMs, timeMs)];
    if (ids.length >= mostAsked) await flush();
  }
  await flush();
}
