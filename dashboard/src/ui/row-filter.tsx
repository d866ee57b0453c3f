import { useDeferredValue, useMemo } from 'react';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { inputClass } from './basics.tsx';

/** The rows that have the typed text, and the field to type it in. */
export function useTyped<Row>(
  rows: readonly Row[] | undefined,
  nameOf: (row: Row) => string,
  typed: string,
  onType: (typed: string) => void,
) {
  const text = useDeferredValue(typed).toLowerCase();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what names a row does not change
  const found = useMemo(
    () => (text === '' ? rows : rows?.filter((row) => nameOf(row).toLowerCase().includes(text))),
    [rows, text],
  );
  const field = (
    <input
      type="search"
      aria-label="Filter the rows"
      placeholder="Filter"
      value={typed}
      onChange={({ target }) => onType(target.value)}
      className={`${inputClass} w-36! max-sm:w-28!`}
    />
  );
  return { found, field };
}

/** The rows whose name has the text that the URL has for the table of the page, and the field to type it in. */
export function useRowFilter<Row>(rows: readonly Row[] | undefined, nameOf: (row: Row) => string) {
  const { search } = useQuestion();
  const change = useChangeSearch();
  return useTyped(rows, nameOf, search.q ?? '', (typed) => change({ q: typed || undefined }));
}
