import type { KindDefinition } from '../rule/kind.ts';
import { anomaly } from './anomaly/kind.ts';
import { budget } from './budget/kind.ts';
import { coverageDrop } from './coverage-drop/kind.ts';
import { creditEnding } from './credit-ending/kind.ts';
import { noEvents } from './no-events/kind.ts';
import { priceChange } from './price-change/kind.ts';
import { runaway } from './runaway/kind.ts';
import { unpricedModel } from './unpriced-model/kind.ts';
import { unprofitableCustomer } from './unprofitable-customer/kind.ts';

/**
 * The kinds of alerts (D20.3), in the order of answers and of the dashboard. Routes, looks, endpoints, the command and the
 * page's forms are derived from them; `find-causes.ts` has their rules.
 */
const kinds = {
  budget,
  runaway,
  anomaly,
  unprofitable_customer: unprofitableCustomer,
  unpriced_model: unpricedModel,
  price_change: priceChange,
  coverage_drop: coverageDrop,
  credit_ending: creditEnding,
  no_events: noEvents,
} satisfies Readonly<Record<string, KindDefinition>>;

export type Kinds = typeof kinds;
export type AlertKind = keyof Kinds;

export const alertKinds = Object.keys(kinds) as readonly AlertKind[];

export const definitions: Readonly<Record<AlertKind, KindDefinition>> = kinds;
