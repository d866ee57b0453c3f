import { lazy, Suspense } from 'react';
import { splitTag } from '../state/group.ts';
import { Skeleton } from '../ui/basics.tsx';
import { Popover } from '../ui/popover.tsx';
import type { TagChoiceProps } from './tag-keys.tsx';

const TagKeys = lazy(() => import('./tag-keys.tsx').then((module) => ({ default: module.TagKeys })));

/** Chooses a tag to group by. Its keys are asked for when it is opened. */
export function TagChoice({ kinds, value, onChoose }: TagChoiceProps) {
  const chosen = splitTag(value);
  const isChosen = chosen !== undefined && kinds.includes(chosen.kind);
  return (
    <Popover
      name={isChosen ? `Tag ${chosen.key}` : 'Group by a tag'}
      label={<span className="max-w-40 truncate">{isChosen ? `Tag: ${chosen.key}` : 'Tag'}</span>}
    >
      {(close) => (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <TagKeys kinds={kinds} value={value} onChoose={(group) => [onChoose(group), close()]} />
        </Suspense>
      )}
    </Popover>
  );
}
