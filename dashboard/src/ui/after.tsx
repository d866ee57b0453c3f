import { type ReactNode, useState } from 'react';

interface AfterProps {
  /** Whether the list above waits for its first answer. */
  readonly isPending: boolean;
  readonly children: ReactNode;
}

/** What follows a list appears with the list's first answer, whose length nobody knows before: so nothing moves. */
export function After({ isPending, children }: AfterProps) {
  const [isShown, setShown] = useState(!isPending);
  if (!isPending && !isShown) setShown(true);
  return isShown ? children : null;
}
