/** The parts of a difference between an invoice and the computed costs (README.md), in the order of answers. */
export const partKinds = [
  'timing',
  'unpriced',
  'not_seen',
  'not_invoiced',
  'price',
  'discount',
  'credit',
  'tax',
  'rest',
] as const;
export type PartKind = (typeof partKinds)[number];
