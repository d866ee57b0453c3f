import { toName } from '../lib/format.ts';
import { Icon } from '../ui/icons.tsx';
import { wasteLabels } from '../waste/causes.ts';
import { type AnyFilter, type Chosen, type FilterChoice, filterLabels, isTagFilter } from './picker.tsx';

interface ChosenFilter {
  readonly id: string;
  /** `Model: gpt-5 or gpt-5-mini` */
  readonly text: string;
  /** What removes it. */
  readonly without: Chosen;
}

/** The active filters in words. */
export const listChosen = (by: readonly AnyFilter[], chosen: Chosen): ChosenFilter[] =>
  by.flatMap((filter) => {
    if (isTagFilter(filter)) {
      return Object.entries(chosen[filter] ?? {}).map(([key, values]) => ({
        id: `${filter}:${key}`,
        text: `${filterLabels[filter]} ${key}: ${values.map(toName).join(' or ')}`,
        without: { [filter]: withoutKey(chosen[filter] ?? {}, key) },
      }));
    }
    const names = filter === 'waste' ? chosen.waste?.map((cause) => wasteLabels[cause]) : chosen[filter];
    if (!names) return [];
    return [
      {
        id: filter,
        text: `${filterLabels[filter]}: ${names.length > 3 ? `${names.length} chosen` : names.map(toName).join(' or ')}`,
        without: { [filter]: undefined },
      },
    ];
  });

function withoutKey(tags: NonNullable<Chosen['ctags']>, key: string) {
  const { [key]: _removed, ...rest } = tags;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** The active filters, each with a button to remove it. */
export function ChosenFilters({ by, chosen, change }: FilterChoice) {
  const chips = listChosen(by, chosen);
  if (chips.length === 0) return null;
  return (
    <ul aria-label="Filters" className="flex flex-wrap gap-1.5">
      {chips.map(({ id, text, without }) => (
        <li
          key={id}
          className="flex max-w-full items-center rounded-full border border-line bg-raised py-0.5 pr-1 pl-3 text-xs"
        >
          <span className="truncate">{text}</span>
          <button
            type="button"
            aria-label={`Remove: ${text}`}
            onClick={() => change(without)}
            className="ml-1 rounded-full p-1 hover:bg-line"
          >
            <Icon name="close" className="size-3" />
          </button>
        </li>
      ))}
    </ul>
  );
}
