import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readFile } from '../../../ingest/imports/read-file.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { maxEntries } from '../../revenue/parse.ts';
import { type InvoiceWire, invoicesBody } from '../parse.ts';
import { anthropicCosts } from './anthropic-costs.ts';
import { readCostPages } from './cost-pages.ts';
import { type CsvOptions, readInvoiceCsv } from './csv.ts';
import { describeFault, type FileEntries, type FileEntry, type FileFault } from './file-entries.ts';
import { FocusBill } from './focus.ts';
import { readFocusRows } from './focus-rows.ts';
import { openAiCosts } from './openai-costs.ts';

/** The files that invoices can be imported from, by the name to give (D18.1, D30.3). */
export const invoiceSources = ['openai-costs', 'anthropic-costs', 'focus', 'csv'] as const;
export type InvoiceSource = (typeof invoiceSources)[number];

export interface InvoiceFiles {
  readonly entries: readonly InvoiceWire[];
  /** Every fault of the files, each with its place. */
  readonly faults: readonly string[];
  /** What people should know of files without a fault. */
  readonly notes: readonly string[];
}

/** Reads files of invoices, and checks every entry as the service does, so that nothing of a bad file is posted. */
export async function readInvoiceFiles(
  source: InvoiceSource,
  paths: readonly string[],
  options: CsvOptions,
): Promise<InvoiceFiles> {
  if (source === 'focus') return await readFocusFiles(paths);
  // Of entries with one id in several files, the last is right.
  const entries = new Map<string, InvoiceWire>();
  const faults: string[] = [];
  const notes: string[] = [];
  for (const path of paths) {
    const read = await readEntries(source, path, options);
    const found = [...read.faults, ...(read.faults.length > 0 ? [] : checkEntries(read.entries))];
    faults.push(...found.map((fault) => `${path}, ${describeFault(fault)}`));
    for (const { entry } of read.entries) entries.set(entry.external_id, entry);
    if (read.isIncomplete) notes.push(`${path} says that there are more pages: import them too.`);
  }
  return { entries: [...entries.values()], faults, notes };
}

async function readFocusFiles(paths: readonly string[]): Promise<InvoiceFiles> {
  const bill = new FocusBill();
  const faults: string[] = [];
  for (const path of paths) {
    for await (const [cells, line] of readFocusRows(path)) {
      const fault = bill.add(cells, line);
      if (fault !== undefined) faults.push(`${path}, ${describeFault({ line, message: fault })}`);
    }
  }
  const { entries, others } = bill;
  if (faults.length === 0) faults.push(...checkEntries(entries).map(describeFault));
  return {
    entries: entries.map(({ entry }) => entry),
    faults,
    notes: others === 0 ? [] : [`Rows of other services, left out: ${others}.`],
  };
}

async function readEntries(
  source: Exclude<InvoiceSource, 'focus'>,
  path: string,
  options: CsvOptions,
): Promise<FileEntries & { readonly isIncomplete: boolean }> {
  if (source === 'csv') return { ...readInvoiceCsv(decodeText(readBytes(path)), options), isIncomplete: false };
  const api = source === 'openai-costs' ? openAiCosts : anthropicCosts;
  return await readCostPages(
    api,
    readFile(path, () => undefined),
  );
}

function readBytes(path: string): Uint8Array {
  const bytes = readFileSync(path);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

/** The faults that the service would refuse, at the lines of the file. */
function checkEntries(entries: readonly FileEntry[]): FileFault[] {
  const faults: FileFault[] = [];
  const firsts = new Map<string, number>();
  for (const chunk of chunksOf(entries, maxEntries)) {
    const checked = invoicesBody.safeParse({ entries: chunk.map(({ entry }) => entry) });
    for (const { path, message } of checked.error?.issues ?? []) {
      const [, index, field] = path;
      const line = chunk[Number(index)]?.line ?? 1;
      // Repeated ids are found below, over the whole file.
      if (message.includes('must not be repeated')) continue;
      faults.push({ line, message: field === undefined ? message : `${String(field)} ${message}` });
    }
  }
  for (const { line, entry } of entries) {
    const first = firsts.get(entry.external_id);
    if (first === undefined) firsts.set(entry.external_id, line);
    else faults.push({ line, message: `external_id ${entry.external_id} is also on line ${first}` });
  }
  return faults;
}

/** Decodes a file as UTF-16 or UTF-8, whichever its bytes show, or else as Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Without a byte order mark, a zero byte beside an ASCII character shows UTF-16.
  if (first !== undefined && first !== 0 && second === 0) return 'utf-16le';
  if (first === 0 && second !== undefined && second !== 0) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}
