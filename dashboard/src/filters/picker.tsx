import { type ReactNode, useDeferredValue, useState } from 'react';
import { byPlural, callDimensions, dimensionNames, dimensions, type Plural } from '../../../src/lib/dimensions.ts';
import { useApi } from '../api/queries.ts';
import type { ListRow, Page } from '../api/types.ts';
import { toCompactCount, toName, toTitle } from '../lib/format.ts';
import type { Search } from '../state/search.ts';
import { useKnownTags } from '../state/tags.ts';
import { Button, ErrorNote, Field, SearchField, SelectBox, Skeleton } from '../ui/basics.tsx';
import { Icon } from '../ui/icons.tsx';
import { Popover } from '../ui/popover.tsx';
import { listCauses, wasteLabels } from '../waste/causes.ts';

type TagFilter = 'ctags' | 'rtags' | 'utags';
export type AnyFilter = Plural | TagFilter | 'waste';

/** The filters of questions about calls. */
export const callFilters: readonly AnyFilter[] = [
  ...callDimensions.map((name) => dimensions[name].plural),
  'ctags',
  'rtags',
];

/** The chosen values of each filter. */
export type Chosen = Pick<Search, AnyFilter | 'swap'>;

/** What is chosen, and how to change it. */
export interface FilterChoice {
  readonly by: readonly AnyFilter[];
  readonly chosen: Chosen;
  readonly change: (change: Chosen) => void;
}

export const filterLabels: Readonly<Record<AnyFilter, string>> = {
  ...byPlural(dimensionNames, toTitle),
  ctags: 'Customer tag',
  rtags: 'Run tag',
  utags: 'User tag',
  waste: 'Waste',
};
export const isTagFilter = (filter: AnyFilter): filter is TagFilter =>
  filter === 'ctags' || filter === 'rtags' || filter === 'utags';

export const FilterPicker = (choice: FilterChoice) => (
  <Popover
    label={
      <>
        <Icon name="filter" />
        Filter
      </>
    }
  >
    {(close) => <FilterPanel {...choice} close={close} />}
  </Popover>
);

/** Chooses a filter and its values. */
export function FilterPanel({ by, chosen, change, close }: FilterChoice & { readonly close: () => void }) {
  const [filter, setFilter] = useState<AnyFilter>(by[0] ?? 'customers');
  return (
    <>
      <div className="mb-2">
        <SelectBox
          aria-label="What to filter by"
          options={Object.fromEntries(by.map((name) => [name, filterLabels[name]]))}
          value={filter}
          onChange={({ target }) => setFilter(target.value as AnyFilter)}
        />
      </div>
      {filter === 'waste' ? (
        <WastePanel chosen={chosen} change={change} />
      ) : isTagFilter(filter) ? (
        <TagPanel filter={filter} chosen={chosen} change={change} close={close} />
      ) : (
        <NamePanel key={filter} filter={filter} chosen={chosen} change={change} />
      )}
    </>
  );
}

interface PanelProps<Filter extends AnyFilter> extends Omit<FilterChoice, 'by'> {
  readonly filter: Filter;
}

/** The values with another one added, or with one of them removed; undefined when none is left. */
function toggled<Value>(values: readonly Value[], value: Value): readonly Value[] | undefined {
  const changed = values.includes(value) ? values.filter((other) => other !== value) : [...values, value];
  return changed.length > 0 ? changed : undefined;
}

interface CheckProps {
  readonly isChecked: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

const Check = ({ isChecked, onToggle, children }: CheckProps) => (
  <label className="flex h-8 items-center gap-2 rounded-md px-1.5 hover:bg-raised">
    <input type="checkbox" checked={isChecked} onChange={onToggle} className="accent-accent" />
    {children}
  </label>
);

/** Calls whose cost is wasted, by cause. */
const WastePanel = ({ chosen: { waste = [], swap }, change }: Omit<PanelProps<'waste'>, 'filter'>) => (
  <>
    {listCauses(swap).map((cause) => (
      <Check key={cause} isChecked={waste.includes(cause)} onToggle={() => change({ waste: toggled(waste, cause) })}>
        <span className="flex-1 truncate">{wasteLabels[cause]}</span>
      </Check>
    ))}
  </>
);

function NamePanel({ filter, chosen, change }: PanelProps<Plural>) {
  const [typed, setTyped] = useState('');
  const text = useDeferredValue(typed);
  const found = useApi<Page<ListRow>>(
    `/api/${filter}/?limit=30${text === '' ? '' : `&search=${encodeURIComponent(text)}`}`,
    undefined,
    { keep: true },
  );
  const names = chosen[filter] ?? [];
  const toggle = (name: string) => change({ [filter]: toggled(names, name) });
  return (
    <>
      <SearchField
        label={`Search: ${filterLabels[filter]}`}
        placeholder="Type to search"
        value={typed}
        onType={setTyped}
      />
      <div className="mt-2 h-60 overflow-y-auto">
        {found.error && <ErrorNote problem={found.error} />}
        {found.isPending && <Skeleton className="h-24" />}
        {found.data?.rows.map(({ name, calls }) => (
          <Check key={name} isChecked={names.includes(name)} onToggle={() => toggle(name)}>
            <span className={`flex-1 truncate ${name === '' ? 'text-mute italic' : ''}`}>{toName(name)}</span>
            <span className="text-xs text-mute">{toCompactCount(calls)}</span>
          </Check>
        ))}
        {found.data?.rows.length === 0 && <p className="p-2 text-mute">No match.</p>}
        {found.data?.has_more && <p className="p-2 text-xs text-mute">Type to find more.</p>}
      </div>
    </>
  );
}

const taggedBy = { ctags: 'customer', rtags: 'call', utags: 'user' } as const;

function TagPanel({ filter, chosen, change, close }: PanelProps<TagFilter> & { readonly close: () => void }) {
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const tags = useKnownTags(taggedBy[filter]).data?.tags ?? [];
  const values = tags.find((tag) => tag.key === key)?.values ?? [];
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        const others = chosen[filter]?.[key] ?? [];
        change({ [filter]: { ...chosen[filter], [key]: [...new Set([...others, value])] } });
        close();
      }}
    >
      <Field label="Key" required list="tag-keys" value={key} onChange={({ target }) => setKey(target.value)} />
      <datalist id="tag-keys">
        {tags.map(({ key: name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label="Value" list="tag-values" value={value} onChange={({ target }) => setValue(target.value)} />
      <datalist id="tag-values">
        {values.map(({ value: text }) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <Button type="submit" kind="main" className="w-full" disabled={key === ''}>
        Add the filter
      </Button>
    </form>
  );
}
