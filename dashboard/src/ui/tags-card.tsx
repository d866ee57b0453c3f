import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAsk, useRefresh } from '../api/queries.ts';
import { useAccess } from '../state/session.tsx';
import { type Tagged, useListed } from '../state/tags.ts';
import { Button, Card, CardHead, ErrorNote, FailureNote, Field, Skeleton } from './basics.tsx';
import { Icon } from './icons.tsx';

interface TagsCardProps {
  readonly of: Tagged;
  readonly name: string;
}

/** The tags of a customer or a user, to set and delete one at a time. */
export function TagsCard({ of, name }: TagsCardProps) {
  const listed = useListed(of, name);
  const tags = listed.data?.tags;
  const ask = useAsk();
  const refresh = useRefresh();
  const { canWrite } = useAccess();
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const save = useMutation({
    mutationFn: (changed: Readonly<Record<string, string | null>>) =>
      ask(`/api/${of}-tags/`, {
        method: 'POST',
        body: { [`${of}s`]: [{ [`${of}_name`]: name, tags: changed }], upsert: true },
      }),
    onSuccess: async () => {
      setKey('');
      setValue('');
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ [key]: value });
  };
  return (
    <Card aria-label="Tags">
      <CardHead title="Tags" />
      <div className="border-t border-line p-4">
        {listed.error ? (
          <FailureNote answer={listed} />
        ) : listed.data === undefined ? (
          <Skeleton className="h-7 w-40" />
        ) : (
          <ul className="flex min-h-7 flex-wrap items-center gap-1.5">
            {Object.entries(tags ?? {}).map(([tag, text]) => (
              <li
                key={tag}
                className="flex max-w-full items-center rounded-full border border-line bg-raised py-0.5 pr-1.5 pl-3 text-[13px]"
              >
                <span className="truncate">
                  <span className="text-mute">{tag}</span> {text}
                </span>
                {canWrite && (
                  <button
                    type="button"
                    aria-label={`Delete the tag ${tag}`}
                    disabled={save.isPending}
                    onClick={() => save.mutate({ [tag]: null })}
                    className="ml-1 rounded-full p-1 hover:bg-line"
                  >
                    <Icon name="close" className="size-3" />
                  </button>
                )}
              </li>
            ))}
            {Object.keys(tags ?? {}).length === 0 && <li className="text-mute">No tags yet.</li>}
          </ul>
        )}
        {canWrite && (
          <form onSubmit={submit} className="mt-4 flex flex-wrap items-end gap-2">
            <Field label="Key" required maxLength={128} value={key} onChange={({ target }) => setKey(target.value)} />
            <Field label="Value" maxLength={1_024} value={value} onChange={({ target }) => setValue(target.value)} />
            <Button type="submit" disabled={save.isPending || key === ''}>
              Set the tag
            </Button>
          </form>
        )}
        {save.error && <ErrorNote problem={save.error} className="mt-3" />}
      </div>
    </Card>
  );
}
