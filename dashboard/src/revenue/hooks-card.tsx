import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { StripeHook, StripeHooks } from '../api/types.ts';
import { toCount, toMinute } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, CardSkeleton, Empty, ErrorNote, FailureNote } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Snippet } from '../ui/copy.tsx';
import { AddHook, ChangeHook, HookAddress } from './hook-form.tsx';

const everyMs = 30_000;

export const useHooks = () => useApi<StripeHooks>('/api/stripe/', undefined, { every: everyMs });

/** The webhook endpoints of Stripe that post their events here. */
export function HooksCard() {
  const { canWrite } = useAccess();
  const hooks = useHooks();
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<StripeHook>();
  const all = hooks.data?.hooks;
  return (
    <Card aria-label="Stripe">
      <CardHead title="Stripe">{canWrite && <Button onClick={() => setAdding(true)}>Connect Stripe</Button>}</CardHead>
      <FailureNote answer={hooks} className="m-4 mt-0" />
      {hooks.isPending && <CardSkeleton className="h-24" />}
      {all?.length === 0 && (
        <Empty title="Not connected yet">
          Stripe posts every paid invoice here, and its lines become revenue of the days they are for, net of discounts
          and tax. Credit notes and refunds are taken off.
        </Empty>
      )}
      <ul>
        {all?.map((hook) => (
          <HookRow key={hook.id} hook={hook} />
        ))}
      </ul>
      {hooks.data && <Unlinked {...hooks.data.unlinked} />}
      {isAdding && <AddHook onClose={() => setAdding(false)} onMade={setMade} />}
      {made && <HookAddress hook={made} onClose={() => setMade(undefined)} />}
    </Card>
  );
}

/** Credit notes and refunds of invoices that Stripe has not posted here. */
function Unlinked({ credit_notes: notes, refunds }: StripeHooks['unlinked']) {
  if (notes + refunds === 0) return null;
  const parts = [
    ...(notes > 0 ? [`${toCount(notes)} ${notes === 1 ? 'credit note' : 'credit notes'}`] : []),
    ...(refunds > 0 ? [`${toCount(refunds)} ${refunds === 1 ? 'refund' : 'refunds'}`] : []),
  ];
  return (
    <p className="border-t border-line px-4 py-3 text-[13px] text-warn">
      {parts.join(' and ')} of invoices that are not known here: they count nothing until their invoices are imported.
    </p>
  );
}

function HookRow({ hook }: { readonly hook: StripeHook }) {
  const { id, url_path, customer_key, events, last_event_at: last, last_refusal: refusal } = hook;
  const { canWrite, project } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const [isChanging, setChanging] = useState(false);
  const removing = useMutation({
    mutationFn: () => ask(`/api/stripe/${id}/`, { method: 'DELETE' }),
    onSuccess: refresh,
  });
  return (
    <li className="space-y-3 border-t border-line px-4 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {last === null ? 'No event yet' : `Last event ${toMinute(last, project.timezone)}`}
            {last === null ? <Badge tone="warn">waiting</Badge> : <Badge tone="good">{toCount(events)} taken</Badge>}
          </p>
          <p className="text-[13px] text-mute">
            {customer_key === null ? (
              'Customers by pairs, else by their id in Stripe'
            ) : (
              <>
                Customers by the metadata key <code>{customer_key}</code>, else by pairs
              </>
            )}
          </p>
          {refusal && (
            <p className="mt-1 text-[13px] break-words text-bad">
              Refused {toMinute(refusal.at, project.timezone)}: {refusal.reason}
            </p>
          )}
        </div>
        {canWrite && (
          <div className="flex flex-wrap gap-1.5">
            <Button aria-label={`Change the hook ${id}`} onClick={() => setChanging(true)}>
              Change
            </Button>
            <ConfirmButton
              aria-label={`Remove the hook ${id}`}
              disabled={removing.isPending}
              onConfirm={() => removing.mutate()}
            >
              Remove
            </ConfirmButton>
          </div>
        )}
      </div>
      <Snippet label="The address for Stripe" text={`${location.origin}${url_path}`} />
      {removing.error && <ErrorNote problem={removing.error} />}
      {isChanging && <ChangeHook hook={hook} onClose={() => setChanging(false)} />}
    </li>
  );
}
