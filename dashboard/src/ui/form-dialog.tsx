import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Button, ErrorNote } from './basics.tsx';
import { Dialog } from './dialog.tsx';

/** The typed texts by input name, without empty ones. Amounts stay text, so that no float rounds them. */
export type Fields = Readonly<Record<string, string>>;

interface FormDialogProps {
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  readonly save: (fields: Fields) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form in a modal dialog. It closes after saving, and shows the error when saving fails. */
export function FormDialog({ title, action, save, onClose, children }: FormDialogProps) {
  const saving = useMutation({ mutationFn: save, onSuccess: onClose });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    saving.mutate(readFields(event.currentTarget));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        {children}
        {saving.error && <ErrorNote problem={saving.error} />}
        <Button type="submit" kind="main" disabled={saving.isPending}>
          {action}
        </Button>
      </form>
    </Dialog>
  );
}

function readFields(form: HTMLFormElement): Fields {
  const typed = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [],
  );
  return Object.fromEntries(typed);
}
