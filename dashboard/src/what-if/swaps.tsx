import { useId, useState } from 'react';
import { useApi } from '../api/queries.ts';
import type { ListRow, Page } from '../api/types.ts';
import type { Search, Swap } from '../state/search.ts';
import { Button, Field } from '../ui/basics.tsx';
import { Icon } from '../ui/icons.tsx';

/** A model and the one that stands in for it, as typed. */
export interface SwapDraft {
  readonly id: number;
  readonly from: string;
  readonly to: string;
}

const mostModels = 1_000;

/** The swaps of a URL as rows to edit; without any, a row for each model that the URL selects, and at least one. */
function toDrafts({ swap, models = [''] }: Search): SwapDraft[] {
  return Object.entries(swap ?? Object.fromEntries(models.map((model) => [model, '']))).map(([from, to], id) => ({
    id,
    from,
    to,
  }));
}

/** The rows that are complete; undefined when there is none. */
export function toSwap(drafts: readonly SwapDraft[]): Swap | undefined {
  const entries = drafts.flatMap(({ from, to }) =>
    from.trim() !== '' && to.trim() !== '' ? [[from.trim(), to.trim()] as const] : [],
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

export const useSwapDrafts = (begin: Search) => useState(() => toDrafts(begin));

interface SwapFieldsProps {
  readonly drafts: readonly SwapDraft[];
  readonly onChange: (drafts: SwapDraft[]) => void;
}

/** Rows of a model and another one for it. The models with calls are suggested; any other may be typed. */
export function SwapFields({ drafts, onChange }: SwapFieldsProps) {
  const models = useApi<Page<ListRow>>(`/api/models/?limit=${mostModels}`);
  const listId = useId();
  const edit = (id: number, change: Partial<SwapDraft>) =>
    onChange(drafts.map((draft) => (draft.id === id ? { ...draft, ...change } : draft)));
  return (
    <div className="max-w-4xl space-y-2">
      {drafts.map(({ id, from, to }, index) => (
        <div key={id} className="flex flex-wrap items-end gap-2">
          <Field
            label="Instead of the model"
            list={listId}
            value={from}
            placeholder="gpt-4o"
            className="min-w-40 flex-1"
            onChange={({ target }) => edit(id, { from: target.value })}
          />
          <Field
            label="use"
            list={listId}
            value={to}
            placeholder="gpt-5-mini"
            className="min-w-40 flex-1"
            onChange={({ target }) => edit(id, { to: target.value })}
          />
          {drafts.length > 1 && (
            <Button
              kind="quiet"
              className="px-2"
              aria-label={`Remove row ${index + 1}`}
              onClick={() => onChange(drafts.filter((draft) => draft.id !== id))}
            >
              <Icon name="close" />
            </Button>
          )}
        </div>
      ))}
      <Button
        onClick={() => onChange([...drafts, { id: 1 + Math.max(...drafts.map(({ id }) => id)), from: '', to: '' }])}
      >
        Another model
      </Button>
      <datalist id={listId}>
        {models.data?.rows.map(({ name }) => name !== '' && <option key={name} value={name} />)}
      </datalist>
    </div>
  );
}
