import { toName } from '../lib/format.ts';
import { Icon } from '../ui/icons.tsx';
import { wasteLabels } from '../waste/causes.ts';
import { type FilterChoice, filterLabels, isTagFilter } from './picker.tsx';

/** The active filters, each with a button to remove it. */
export function ChosenFilters({ by, chosen, change }: FilterChoice) {
  const chips = by.flatMap((filter) => {
    if (isTagFilter(filter)) {
      return Object.entries(chosen[filter] ?? {}).map(([key, values]) => ({
        id: `${filter}:${key}`,
        text: `${filterLabels[filter]} ${key}: ${values.join(' or ')}`,
        remove: () => {
          const { [key]: _removed, ...rest } = chosen[filter] ?? {};
          change({ [filter]: Object.keys(rest).length > 0 ? rest : undefined });
        },
      }));
    }
    const names = filter === 'waste' ? chosen.waste?.map((cause) => wasteLabels[cause]) : chosen[filter];
    if (!names) return [];
    return [
      {
        id: filter,
        text: `${filterLabels[filter]}: ${names.length > 3 ? `${names.length} chosen` : names.map(toName).join(' or ')}`,
        remove: () => change({ [filter]: undefined }),
      },
    ];
  });
  if (chips.length === 0) return null;
  return (
    <ul aria-label="Filters" className="flex flex-wrap gap-1.5">
      {chips.map(({ id, text, remove }) => (
        <li
          key={id}
          className="flex max-w-full items-center rounded-full border border-line bg-raised py-0.5 pr-1 pl-3 text-xs"
        >
          <span className="truncate">{text}</span>
          <button
            type="button"
            aria-label={`Remove: ${text}`}
            onClick={remove}
            className="ml-1 rounded-full p-1 hover:bg-line"
          >
            <Icon name="close" className="size-3" />
          </button>
        </li>
      ))}
    </ul>
  );
}
