import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Button } from './basics.tsx';
import { Icon } from './icons.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog. The browser keeps the focus inside, and Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Closed before it is removed, so that the browser gives the focus back to what opened it.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // A form begins with its first field, not with the button that closes it.
    element?.querySelector<HTMLElement>('form :is(input, select, textarea):enabled')?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className="max-h-[90vh] w-[34rem] max-w-[calc(100vw-2rem)] overflow-auto rounded-xl border border-line bg-card p-5 text-ink shadow-2xl"
    >
      <div className="mb-3 flex items-start justify-between gap-4">
        <h2 id={titleId} className="text-base font-semibold">
          {title}
        </h2>
        <Button kind="quiet" aria-label="Close" onClick={onClose} className="-mt-1 -mr-2 px-2">
          <Icon name="close" />
        </Button>
      </div>
      {children}
    </dialog>
  );
}
