import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId } from 'react';
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
  /** Below the fields and outside the form: what has a form of its own. */
  readonly beside?: ReactNode;
}

/** A form in a modal dialog. It closes after saving, and shows the error when saving fails. */
export function FormDialog({ title, action, save, onClose, children, beside }: FormDialogProps) {
  const saving = useMutation({ mutationFn: save, onSuccess: onClose });
  const id = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    saving.mutate(readFields(event.currentTarget));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="space-y-3">
        <form id={id} onSubmit={submit} className="space-y-3">
          {children}
        </form>
        {beside}
        {saving.error && <ErrorNote problem={saving.error} labelOf={(name) => readLabel(id, name)} />}
        <Button type="submit" form={id} kind="main" disabled={saving.isPending}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}

/** What stands over a field of a form. */
function readLabel(form: string, name: string): string | undefined {
  const field = document.querySelector(`#${CSS.escape(form)} [name="${CSS.escape(name)}"]`);
  return field?.closest('label')?.querySelector('span')?.textContent;
}

function readFields(form: HTMLFormElement): Fields {
  const typed = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [],
  );
  return Object.fromEntries(typed);
}
