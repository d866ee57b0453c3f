import type { TagGroup, TagKind } from '../state/group.ts';
import { Choice } from '../ui/basics.tsx';
import { TagChoice } from './tag-choice.tsx';

interface GroupChoiceProps<Option extends string, Kind extends TagKind> {
  readonly label: string;
  readonly options: Readonly<Partial<Record<Option, string>>>;
  /** The kinds of tags that can be chosen. */
  readonly tags: readonly Kind[];
  readonly value: string;
  readonly onChoose: (group: Option | TagGroup) => void;
}

/** Chooses what rows are grouped by: one of a few options, or any tag. */
export const GroupChoice = <Option extends string, Kind extends TagKind>({
  label,
  options,
  tags,
  value,
  onChoose,
}: GroupChoiceProps<Option, Kind>) => (
  <div className="flex min-w-0 flex-wrap items-center gap-2 max-sm:w-full">
    <Choice
      label={label}
      options={options as Readonly<Record<Option, string>>}
      value={value as Option}
      onChoose={onChoose}
    />
    <TagChoice kinds={tags} value={value in options ? '' : value} onChoose={onChoose} />
  </div>
);
