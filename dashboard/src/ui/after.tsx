import { type ReactNode, useState } from 'react';
import { Skeleton } from './basics.tsx';

interface AfterProps {
  /** Whether the list above waits for its first answer. */
  readonly isPending: boolean;
  /** Whether no list is above: then a placeholder moves no more than the content would. */
  readonly isFirst?: boolean;
  readonly children: ReactNode;
}

/** Shows content below a list only once the list has its first answer, so that the content does not move. */
export function After({ isPending, isFirst = false, children }: AfterProps) {
  const [isShown, setShown] = useState(!isPending);
  if (!isPending && !isShown) setShown(true);
  if (isShown) return children;
  return isFirst ? <Skeleton className="h-96" /> : null;
}
