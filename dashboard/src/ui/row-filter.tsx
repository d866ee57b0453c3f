import { useDeferredValue, useMemo } from 'react';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { inputClass } from './basics.tsx';

/** The rows whose name has the text that the URL has, and the field to type it in. */
export function useRowFilter<Row>(rows: readonly Row[] | undefined, nameOf: (row: Row) => string) {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const typed = search.q ?? '';
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
      onChange={({ target }) => change({ q: target.value || undefined })}
      className={`${inputClass} w-36! max-sm:w-28!`}
    />
  );
  return { found, field };
}
