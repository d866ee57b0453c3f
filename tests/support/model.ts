// The answers that the service must give, computed by brute force over plain arrays from the decisions. The model shares no
// code with the service and is written to be read beside the specification, not to be fast.
export { type ModelPrice, modelCalls } from './model/calls.ts';
export { type CostsQuery, modelCosts } from './model/costs.ts';
export { burnDown, type ModelGrant } from './model/credits.ts';
export { type Aggregate, addDays, byCodePoint, dayOf, daysBetween, periodsOf } from './model/days.ts';
export type { KeyMetric, MetricEvent, MetricValue } from './model/key-metrics.ts';
export { type MarginQuery, modelMargin } from './model/margin.ts';
export { modelPerformance, type PerformanceQuery } from './model/performance.ts';
export { modelPlans, type PlansQuery } from './model/plans.ts';
export { earningsOf, type RevenueEntry } from './model/revenue.ts';
export { expectRows, near, shown, unit } from './model/rows.ts';
export type { ModelSharedCost } from './model/shared.ts';
export type { ModelStore, TagFilter } from './model/store.ts';
export { modelUsage } from './model/usage.ts';
