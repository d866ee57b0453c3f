import type { InvoiceWire } from '../parse.ts';

/** Where a file of invoices is wrong. `line` and `column` count from 1. */
export interface FileFault {
  readonly line: number;
  readonly column?: number;
  readonly name?: string;
  readonly message: string;
}

export interface FileEntry {
  readonly line: number;
  readonly entry: InvoiceWire;
}

/** The entries of a file of invoices. With a fault, none of them is stored. */
export interface FileEntries {
  readonly entries: readonly FileEntry[];
  readonly faults: readonly FileFault[];
}

export const describeFault = ({ line, column, name, message }: FileFault): string => {
  const place = column === undefined ? '' : `, column ${column}${name === undefined ? '' : ` (${name})`}`;
  return `line ${line}${place}: ${message}`;
};
