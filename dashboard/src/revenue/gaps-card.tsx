import { type ReactNode, useState } from 'react';
import type { Coverage } from '../api/types.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead } from '../ui/basics.tsx';
import { hasRevenueGaps, toUnmappedWords, toUnratedWords } from './gaps.ts';
import { AddPair } from './pairs-card.tsx';
import { AddRate } from './rates-card.tsx';

/** How many of each are listed. */
const mostListed = 20;

type Adding = { readonly what: 'pair'; readonly of: string } | { readonly what: 'rate'; readonly of: string };

/** Revenue that does not count or whose customer is unknown, each with what to do. */
export function GapsCard({ coverage }: { readonly coverage: Coverage }) {
  const { canWrite } = useAccess();
  const [adding, setAdding] = useState<Adding>();
  if (!hasRevenueGaps(coverage)) return null;
  const { unmapped_revenue: unmapped = [], revenue_without_rate: unrated = [] } = coverage;
  const close = () => setAdding(undefined);
  return (
    <Card aria-label="Needs a look">
      <CardHead title="Needs a look" />
      <ul>
        {unmapped.slice(0, mostListed).map((gap) => (
          <Gap
            key={gap.stripe_customer}
            name={gap.stripe_customer}
            badge="no customer"
            about={`${toUnmappedWords(gap)} counts for this id of Stripe. Name the customer it is of.`}
          >
            {canWrite && (
              <Button
                aria-label={`Name the customer of ${gap.stripe_customer}`}
                onClick={() => setAdding({ what: 'pair', of: gap.stripe_customer })}
              >
                Name the customer
              </Button>
            )}
          </Gap>
        ))}
        {unrated.slice(0, mostListed).map((gap) => (
          <Gap
            key={gap.currency}
            name={gap.currency}
            badge="no rate"
            about={`${toUnratedWords(gap)} does not count. Add what one ${gap.currency} is worth, from the first of its days on.`}
          >
            {canWrite && (
              <Button
                aria-label={`Add a rate of ${gap.currency}`}
                onClick={() => setAdding({ what: 'rate', of: gap.currency })}
              >
                Add a rate
              </Button>
            )}
          </Gap>
        ))}
      </ul>
      {adding?.what === 'pair' && <AddPair stripeCustomer={adding.of} onClose={close} />}
      {adding?.what === 'rate' && <AddRate currency={adding.of} onClose={close} />}
    </Card>
  );
}

interface GapProps {
  readonly name: string;
  readonly badge: string;
  readonly about: string;
  readonly children: ReactNode;
}

const Gap = ({ name, badge, about, children }: GapProps) => (
  <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-3">
    <div className="min-w-0 flex-1 basis-64">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <span className="min-w-0 break-all">{name}</span>
        <Badge tone="warn">{badge}</Badge>
      </p>
      <p className="text-[13px] text-mute">{about}</p>
    </div>
    {children}
  </li>
);
