import { Fragment } from 'react';
import type { PlanRow, SimulatedPlan } from '../api/types.ts';
import { toCount, toDollars, toMarginPct, toProseDollars, toShortName, toTitle } from '../lib/format.ts';
import { Bar, Button, Card, CardHead } from '../ui/basics.tsx';
import { Door, type DoorTo } from '../ui/door.tsx';
import { Dollars } from '../ui/figure.tsx';
import { Prose } from '../ui/prose.tsx';
import { paidPerMonth, toBelowZero, toDearest, toNeed } from './sheet.ts';

interface PlanCardProps {
  readonly row: PlanRow;
  /** The tag whose values are the plans. */
  readonly tag: string;
  /** The plan at a base of 1 USD; undefined while it is asked, and for customers without a plan. */
  readonly now: SimulatedPlan | undefined;
  readonly target: number;
  readonly onTry: () => void;
}

const mostFeatures = 3;

/** How a plan pays, who is below zero, how its cost is spread, and what it would need. */
export function PlanCard({ row, tag, now, target, onTry }: PlanCardProps) {
  const { plan, customers } = row;
  const name = plan === '' ? 'Without a plan' : plan;
  const customersOf: DoorTo = { to: '/customers', search: { by: `customer_tag:${tag}`, q: plan || undefined } };
  const names = now?.rows.map(({ customer }) => customer) ?? [];
  // Those who lose come first, by name where a link has room for them.
  const judged: DoorTo =
    names.length > 0 && names.length === customers
      ? { to: '/customers', search: { customers: names, sort: 'margin' } }
      : customersOf;
  const calls: DoorTo = { to: '/calls', search: { ctags: { [tag]: [plan] }, order: 'dearest' } };
  const features = (row.features ?? []).slice(0, mostFeatures);
  const dollars = toProseDollars(...features.map(({ cost }) => cost));
  return (
    <Card aria-label={`Plan: ${name}`} className="flex flex-col">
      <CardHead
        title={
          <span title={name} className="break-words">
            {toShortName(name)}
          </span>
        }
        about={
          plan === ''
            ? 'Customers without the tag, and calls without a customer'
            : `${toCount(customers)} ${customers === 1 ? 'customer' : 'customers'}`
        }
      >
        {now && <Button onClick={onTry}>Try prices</Button>}
      </CardHead>
      <div className="grow space-y-3 border-t border-line p-4">
        <dl className="grid grid-cols-3 gap-2">
          <Figure label="Revenue" value={<Dollars value={row.revenue} />} door={customersOf} />
          <Figure label="AI cost" value={<Dollars value={row.cost} />} door={calls} />
          <Figure
            label="Margin"
            value={toMarginPct(row)}
            door={customersOf}
            isBad={row.margin < 0 && row.revenue !== 0}
          />
        </dl>
        {plan !== '' && <Judged row={row} name={name} now={now} target={target} door={judged} />}
        <p className="text-[13px] break-words text-mute">
          {features.map(({ feature, cost }, index) => (
            <Fragment key={feature}>
              {index > 0 && '\u00a0· '}
              {feature === '' ? 'no feature' : toShortName(feature)}{' '}
              <Door {...calls} search={{ ...calls.search, features: [feature] }}>
                {dollars(cost)}
              </Door>
            </Fragment>
          ))}
        </p>
      </div>
    </Card>
  );
}

interface JudgedProps extends Pick<PlanCardProps, 'row' | 'now' | 'target'> {
  readonly name: string;
  readonly door: DoorTo;
}

/** What a plan needs, and how its customers are. Calls without a customer are none, so no plan is not judged. */
const Judged = ({ row, name, now, target, door }: JudgedProps) => (
  <>
    <p className="min-h-10 break-words">
      {now && (
        <>
          <strong data-need className="font-semibold">{`${toShortName(name)} ${toNeed(now, target)}`}</strong>
          {now.revenue > 0 && <span className="text-mute">; it pays {toDollars(paidPerMonth(now))} on average</span>}
        </>
      )}
    </p>
    <ul className="space-y-1 text-[13px] text-mute">
      <li className={row.below_zero > 0 ? 'text-bad' : ''}>
        <Door {...door}>{toBelowZero(row)}</Door>
      </li>
      <li className={row.dearest_tenth.margin < 0 ? 'text-bad' : ''}>
        <Door {...door}>
          <Prose>{toDearest(row)}</Prose>
        </Door>
      </li>
    </ul>
    <Spread row={row} door={door} />
  </>
);

interface FigureProps {
  readonly label: string;
  readonly value: React.ReactNode;
  readonly door: DoorTo;
  readonly isBad?: boolean;
}

const Figure = ({ label, value, door, isBad = false }: FigureProps) => (
  <div className="min-w-0">
    <dt className="text-xs text-mute">{label}</dt>
    <dd className={`text-[15px] font-semibold break-words ${isBad ? 'text-bad' : ''}`}>
      <Door {...door}>{value}</Door>
    </dd>
  </div>
);

const spread = { p10: 'a tenth', p50: 'half', p90: '90%', p99: '99%' } as const;
const places = Object.keys(spread) as (keyof typeof spread)[];

/** What most customers cost at most, and the most expensive one. */
function Spread({ row: { cost_per_customer: costs }, door }: Pick<JudgedProps, 'row' | 'door'>) {
  // Of a few customers most places are one, which is said once.
  const rows = [
    ...places.map((place) => ({ label: `${toTitle(spread[place])} cost at most`, cost: costs[place] })),
    { label: 'The most expensive', cost: costs.most },
  ].filter(({ cost }, index, all) => cost !== all[index + 1]?.cost);
  return (
    <dl className="space-y-1 text-[13px]">
      {rows.map(({ label, cost }) => (
        <div key={label} className="grid grid-cols-[8.5rem_1fr_5rem] items-center gap-2">
          <dt className="text-mute">{label}</dt>
          <Bar share={costs.most === 0 ? 0 : cost / costs.most} className="w-full fill-accent" />
          <dd className="text-right whitespace-nowrap">
            <Door {...door}>
              <Dollars value={cost} />
            </Door>
          </dd>
        </div>
      ))}
    </dl>
  );
}
