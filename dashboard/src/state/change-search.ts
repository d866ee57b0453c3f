import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Drawn, Search } from './search.ts';

/** Whether the URL shows a drawing as a table, and how to change that. */
export function useAsTable(of: Drawn): readonly [isTable: boolean, setTable: (isTable: boolean) => void] {
  const { table = [] } = useSearch({ from: '__root__' });
  const change = useChangeSearch();
  const others = table.filter((one) => one !== of);
  return [
    table.includes(of),
    (isTable) => {
      const next = isTable ? [...others, of] : others;
      change({ table: next.length > 0 ? next : undefined });
    },
  ];
}

/** Changes parameters of the URL and keeps the others, but the name of the view, which it is no longer. */
export function useChangeSearch(): (change: Partial<Search>) => void {
  const navigate = useNavigate();
  return (change) => {
    void navigate({ to: '.', search: (search: Search) => ({ ...search, view: undefined, ...change }), replace: true });
  };
}
