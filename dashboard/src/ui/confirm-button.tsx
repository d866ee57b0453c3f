import { type ComponentProps, useEffect, useState } from 'react';
import { Button } from './basics.tsx';

const waitMs = 4_000;

interface ConfirmButtonProps extends Omit<ComponentProps<'button'>, 'onClick'> {
  readonly onConfirm: () => void;
}

/** A button for what can't be undone: it asks back, and does it when it is pressed again. */
export function ConfirmButton({ onConfirm, children, ...props }: ConfirmButtonProps) {
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
      onClick={() => {
        if (isAsking) onConfirm();
        setAsking(!isAsking);
      }}
    >
      <span aria-live="polite">{isAsking ? 'Press again to confirm' : children}</span>
    </Button>
  );
}
