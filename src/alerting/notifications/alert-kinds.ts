/** The kinds of alerts (D20.3). */
export const alertKinds = [
  'budget',
  'anomaly',
  'unprofitable_customer',
  'unpriced_model',
  'price_change',
  'coverage_drop',
  'credit_ending',
  'no_events',
] as const;

export type AlertKind = (typeof alertKinds)[number];
