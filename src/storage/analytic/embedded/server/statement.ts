import { quoteString } from './literal.ts';

export type StatementKind = 'select' | 'insert' | 'other';

// Leading white space, comments and opening parentheses.
const LEADING_NOISE = /^(?:[\s(]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;
const TRAILING_FORMAT = /\bFORMAT\s+([A-Za-z][A-Za-z0-9_]*)$/i;
const FORMAT_CLAUSE_MAX_LENGTH = 200;

/** A statement, split into its text and the format of its data. */
export interface Statement {
  readonly kind: StatementKind;
  /** Unchanged: the rows of an INSERT may follow it, where white space at the end may belong to a row. */
  readonly sql: string;
  /** Without a final FORMAT clause. */
  readonly text: string;
  readonly format: string | undefined;
}

/** Determines the kind of a statement, and splits off a final FORMAT clause (which is where clients put it). */
export function parseStatement(sql: string): Statement {
  const text = trimEnd(sql);
  const end = text.slice(-FORMAT_CLAUSE_MAX_LENGTH);
  const clause = TRAILING_FORMAT.exec(end);
  return {
    kind: kindOf(text),
    sql,
    text: clause === null ? text : text.slice(0, text.length - end.length + clause.index),
    format: clause?.[1],
  };
}

// Not a regular expression, which would take quadratic time over long runs of white space.
function trimEnd(sql: string): string {
  let end = sql.length;
  while (end > 0 && /[\s;]/.test(sql.charAt(end - 1))) end -= 1;
  return sql.slice(0, end);
}

function kindOf(sql: string): StatementKind {
  const [keyword = ''] = /^\w+/.exec(sql.replace(LEADING_NOISE, '')) ?? [];
  if (/^(?:select|with)$/i.test(keyword)) return 'select';
  return /^insert$/i.test(keyword) ? 'insert' : 'other';
}

/** Clauses have lines of their own, because the statement may end in a comment. */
export function selectIntoFile(select: string, path: string, format: string): string {
  return `${select}\nINTO OUTFILE ${quoteString(path)} APPEND\nFORMAT ${format}`;
}

/** The INSERT, with its rows coming from a file. */
export function insertFromFile(insert: string, path: string, format: string): string {
  return `${insert}\nFROM INFILE ${quoteString(path)}\nFORMAT ${format}`;
}
