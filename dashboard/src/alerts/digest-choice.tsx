import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useAsk } from '../api/queries.ts';
import type { NotificationEndpoint } from '../api/types.ts';
import { Button, ErrorNote, Select } from '../ui/basics.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** When an endpoint gets digests. */
export type DigestPlan = Pick<NotificationEndpoint, 'digest' | 'digest_day' | 'digest_hour'>;

const intervals = { never: 'Never', weekly: 'Every week', monthly: 'Every month' };
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const daysOf = (digest: DigestPlan['digest']): Record<string, string> =>
  digest === 'weekly'
    ? Object.fromEntries(weekdays.map((name, at) => [at + 1, name]))
    : Object.fromEntries(Array.from({ length: 28 }, (_, at) => [at + 1, `The ${at + 1}.`]));
const hours = Object.fromEntries(Array.from({ length: 24 }, (_, hour) => [hour, `${hour}:00`]));

/** `a digest every Monday at 8:00`; nothing where there is none. */
export const digestWords = ({ digest, digest_day: day, digest_hour: hour }: DigestPlan): string =>
  digest === null
    ? ''
    : `a digest ${digest === 'weekly' ? `every ${weekdays[(day ?? 1) - 1]}` : `on day ${day} of every month`} at ${hour}:00`;

interface DigestChoiceProps {
  readonly plan: DigestPlan;
  readonly change: (plan: DigestPlan) => void;
}

/** Chooses when an endpoint gets digests, and shows the newest. */
export function DigestChoice({ plan, change }: DigestChoiceProps) {
  const { digest, digest_day: day, digest_hour: hour } = plan;
  const ask = useAsk();
  const [shown, setShown] = useState<string>();
  const showing = useMutation({
    mutationFn: () => ask<{ text: string }>('/api/digests/preview/', { method: 'POST', body: { every: digest } }),
    onSuccess: ({ text }) => setShown(text),
  });
  return (
    <fieldset className="space-y-3 rounded-lg border border-line p-3">
      <legend className="px-1 text-xs font-medium text-mute">Digest</legend>
      <Select
        label="How it went, with what changed"
        options={intervals}
        value={digest ?? 'never'}
        onChange={({ target: { value } }) =>
          change(
            value === 'weekly' || value === 'monthly'
              ? { digest: value, digest_day: 1, digest_hour: hour ?? 8 }
              : { digest: null, digest_day: null, digest_hour: null },
          )
        }
      />
      {digest !== null && (
        <div className="grid grid-cols-2 gap-3">
          <Select
            label="On"
            options={daysOf(digest)}
            value={day ?? 1}
            onChange={({ target }) => change({ ...plan, digest_day: Number(target.value) })}
          />
          <Select
            label="At"
            options={hours}
            value={hour ?? 8}
            onChange={({ target }) => change({ ...plan, digest_hour: Number(target.value) })}
          />
          <Button type="button" disabled={showing.isPending} onClick={() => showing.mutate()}>
            Show the newest
          </Button>
        </div>
      )}
      {showing.error && <ErrorNote problem={showing.error} />}
      {shown !== undefined && (
        <Dialog title="The newest digest" onClose={() => setShown(undefined)}>
          <p className="max-h-[60vh] overflow-y-auto whitespace-pre-wrap">{shown}</p>
        </Dialog>
      )}
    </fieldset>
  );
}

/** What the API takes of a plan: without a digest it has no day. */
export const toDigestFields = ({ digest, digest_day: day, digest_hour: hour }: DigestPlan) =>
  digest === null ? { digest } : { digest, digest_day: day, digest_hour: hour };
