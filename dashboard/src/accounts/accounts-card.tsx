import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { ProviderAccount } from '../api/types.ts';
import { toCount, toDayRange, toMinute } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, CardSkeleton, ErrorNote, FailureNote } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { AddAccount, ChangeAccount } from './account-form.tsx';
import { kindNames } from './kind-of-key.ts';

const everyMs = 5_000;

interface AccountsCardProps {
  readonly title: string;
  /** Whether no call is reported otherwise. */
  readonly isFirst: boolean;
}

/** The accounts at providers. */
export const useAccounts = () =>
  useApi<{ accounts: readonly ProviderAccount[] }>('/api/provider-accounts/', undefined, { every: everyMs });

/** The accounts at providers, and how their last readings went. */
export function AccountsCard({ title, isFirst }: AccountsCardProps) {
  const { canWrite } = useAccess();
  const accounts = useAccounts();
  const [isAdding, setAdding] = useState(false);
  return (
    <Card aria-label="Provider accounts">
      <CardHead
        title={title}
        about="Costs by model, key, workspace and user, from your account at OpenAI, Anthropic or OpenRouter, without a line of code."
      >
        {canWrite && <Button onClick={() => setAdding(true)}>Connect an account</Button>}
      </CardHead>
      <FailureNote answer={accounts} className="m-4" />
      {accounts.isPending && <CardSkeleton className="h-12" />}
      <ul>
        {accounts.data?.accounts.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </ul>
      {isAdding && <AddAccount isFirst={isFirst} onClose={() => setAdding(false)} />}
    </Card>
  );
}

function AccountRow({ account }: { readonly account: ProviderAccount }) {
  const { id, kind, mode, calls, last_success_at: last, last_read: read, last_fault: fault, switched } = account;
  const { canWrite, project } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const [isChanging, setChanging] = useState(false);
  const reading = useMutation({
    mutationFn: () => ask(`/api/provider-accounts/${id}/read/`, { method: 'POST' }),
    onSuccess: refresh,
  });
  const removing = useMutation({
    mutationFn: () => ask(`/api/provider-accounts/${id}/`, { method: 'DELETE' }),
    onSuccess: refresh,
  });
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {kindNames[kind]}
          <Badge>{mode === 'meter' ? 'invoices and calls' : 'invoices alone'}</Badge>
          {fault ? <Badge tone="bad">failing</Badge> : last === null ? <Badge tone="warn">reading</Badge> : null}
        </p>
        {last !== null && read !== null && (
          <p className="text-[13px] text-mute">
            Read {toMinute(last, project.timezone)}, {toDayRange({ from: read.date_from, to: read.date_to })}:{' '}
            {toCount(read.entries_changed)} entries and {toCount(read.calls_changed)} calls were new.
            {calls > 0 && ` ${toCount(calls)} calls in all.`}
          </p>
        )}
        {switched && (
          <p className="text-[13px] text-mute">
            {switched.to === 'reconcile'
              ? `${toCount(switched.calls_withdrawn)} calls were taken back`
              : `${toCount(switched.calls_made)} calls were made`}
            {switched.done ? '.' : ', not yet done.'}
          </p>
        )}
        {fault && (
          <p className="mt-1 text-[13px] break-words text-bad">
            Failed {toMinute(fault.at, project.timezone)}: {fault.reason}
          </p>
        )}
        {(reading.error || removing.error) && <ErrorNote problem={reading.error ?? removing.error} />}
      </div>
      {canWrite && (
        <div className="flex flex-wrap gap-1.5">
          <Button aria-label={`Read now: ${id}`} disabled={reading.isPending} onClick={() => reading.mutate()}>
            Read now
          </Button>
          <Button aria-label={`Change the account ${id}`} onClick={() => setChanging(true)}>
            Change
          </Button>
          <ConfirmButton
            aria-label={`Remove the account ${id} with what it brought`}
            disabled={removing.isPending}
            onConfirm={() => removing.mutate()}
          >
            Remove
          </ConfirmButton>
        </div>
      )}
      {isChanging && <ChangeAccount account={account} onClose={() => setChanging(false)} />}
    </li>
  );
}
