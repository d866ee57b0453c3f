import { type ComponentProps, useEffect, useState } from 'react';
import { Button } from './basics.tsx';

const waitMs = 4_000;
const question = 'Press again to confirm';

interface ConfirmButtonProps extends Omit<ComponentProps<'button'>, 'onClick'> {
  readonly onConfirm: () => void;
}

/** A button for actions that can't be undone: it must be pressed a second time within `waitMs` milliseconds. */
export function ConfirmButton({ onConfirm, children, 'aria-label': label, ...props }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (!isAsking) return undefined;
    const timer = setTimeout(() => setAsking(false), waitMs);
    return () => clearTimeout(timer);
  }, [isAsking]);
  return (
    <Button
      {...props}
      kind="danger"
      // What is deleted stays in its name, after the words that show.
      {...(label !== undefined && { 'aria-label': isAsking ? `${question}: ${label}` : label })}
      onClick={() => {
        if (isAsking) onConfirm();
        setAsking(!isAsking);
      }}
    >
      <span aria-live="polite">{isAsking ? question : children}</span>
    </Button>
  );
}
