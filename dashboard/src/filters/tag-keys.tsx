import { useState } from 'react';
import { toCompactCount } from '../lib/format.ts';
import type { TagGroup, TagKind } from '../state/group.ts';
import { useKnownTags } from '../state/tags.ts';
import { ErrorNote, SearchField, Skeleton } from '../ui/basics.tsx';

export interface TagChoiceProps {
  readonly kinds: readonly TagKind[];
  /** What is grouped by; it may be no tag. */
  readonly value: string;
  readonly onChoose: (group: TagGroup) => void;
}

const labels: Readonly<Record<TagKind, string>> = {
  tag: 'Tags of calls',
  customer_tag: 'Tags of customers',
  user_tag: 'Tags of users',
};

/** Chooses a tag to group by. */
export function TagKeys({ kinds, value, onChoose }: TagChoiceProps) {
  const [text, setText] = useState('');
  return (
    <>
      <SearchField label="Search: tags" placeholder="Type to search" value={text} onType={setText} />
      {kinds.map((kind) => (
        <KeysOfKind key={kind} kind={kind} text={text.toLowerCase()} value={value} onChoose={onChoose} />
      ))}
    </>
  );
}

interface KeysOfKindProps extends Omit<TagChoiceProps, 'kinds'> {
  readonly kind: TagKind;
  readonly text: string;
}

const askedAs = { tag: 'call', customer_tag: 'customer', user_tag: 'user' } as const;

function KeysOfKind({ kind, text, value, onChoose }: KeysOfKindProps) {
  const { data, error, isPending } = useKnownTags(askedAs[kind]);
  const found = data?.tags.filter(({ key }) => key.toLowerCase().includes(text));
  return (
    <fieldset className="mt-3 max-h-60 overflow-y-auto" aria-label={labels[kind]}>
      <p className="px-1.5 text-xs text-mute">{labels[kind]}</p>
      {error && <ErrorNote problem={error} />}
      {isPending && <Skeleton className="h-16" />}
      {found?.map(({ key, count }) => (
        <button
          key={key}
          type="button"
          aria-pressed={value === `${kind}:${key}`}
          onClick={() => onChoose(`${kind}:${key}`)}
          className={`flex h-8 w-full items-center gap-2 rounded-md px-1.5 text-left hover:bg-raised ${value === `${kind}:${key}` ? 'font-medium' : ''}`}
        >
          <span className="flex-1 truncate">{key}</span>
          <span className="text-xs text-mute">{toCompactCount(count)}</span>
        </button>
      ))}
      {found?.length === 0 && <p className="p-1.5 text-mute">{text === '' ? 'None.' : 'No match.'}</p>}
    </fieldset>
  );
}
