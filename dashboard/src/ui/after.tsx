import { type ReactNode, useState } from 'react';
import { Waiting } from './waiting.tsx';

interface AfterProps {
  /** Whether the list above waits for its first answer. */
  readonly isPending: boolean;
  readonly children: ReactNode;
}

/** Shows content below a list only once the list has its first answer, so that the content does not move. */
export function After({ isPending, children }: AfterProps) {
  const [isShown, setShown] = useState(!isPending);
  if (!isPending && !isShown) setShown(true);
  return isShown ? children : <Waiting />;
}
