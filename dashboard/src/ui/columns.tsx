import { useMemo } from 'react';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { Button } from './basics.tsx';
import type { Column } from './data-table.tsx';
import { Icon } from './icons.tsx';
import { Popover } from './popover.tsx';

interface ChosenColumns<Row> {
  /** All columns; those that are not shown are hidden. */
  readonly columns: readonly Column<Row>[];
  /** Whether others than the usual ones were chosen. */
  readonly isChosen: boolean;
  /** The button that opens the choice. */
  readonly picker: React.ReactNode;
}

/** The columns of a table that the URL chooses, and the button to choose others. The first one names the rows and stays. */
export function useColumns<Row>(table: string, all: readonly Column<Row>[]): ChosenColumns<Row> {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const chosen = search.columns?.[table];
  const columns = useMemo(
    () =>
      all.map((column, place) => {
        const isShown = place === 0 || (chosen ? chosen.includes(column.id) : !column.isExtra);
        return isShown ? column : { ...column, isHidden: true };
      }),
    [all, chosen],
  );
  const choose = (ids: readonly string[] | undefined) => {
    const { [table]: _own, ...others } = search.columns ?? {};
    const next = ids ? { ...others, [table]: ids } : others;
    change({ columns: Object.keys(next).length > 0 ? next : undefined });
  };
  const picker = (
    <Popover
      name="Columns"
      label={
        <>
          <Icon name="table" />
          <span className="max-sm:hidden">Columns</span>
        </>
      }
    >
      {(close) => (
        <fieldset className="space-y-0.5">
          <legend className="pb-1 text-xs font-medium text-mute">Columns of this table</legend>
          {columns.map(({ id, title, isHidden = false }, place) => (
            <label key={id} className="flex items-center gap-2 rounded-lg px-2 py-1.5 hover:bg-raised">
              <input
                type="checkbox"
                checked={!isHidden}
                disabled={place === 0}
                onChange={() =>
                  choose(columns.filter((one) => (one.id === id ? isHidden : !one.isHidden)).map((one) => one.id))
                }
                className="accent-accent"
              />
              {title}
            </label>
          ))}
          <Button
            kind="quiet"
            className="w-full"
            disabled={!chosen}
            onClick={() => {
              choose(undefined);
              close();
            }}
          >
            The usual columns
          </Button>
        </fieldset>
      )}
    </Popover>
  );
  return { columns, isChosen: chosen !== undefined, picker };
}
