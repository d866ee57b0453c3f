import { useApi } from '../api/queries.ts';
import type { KeyMetric } from '../api/types.ts';
import { toName } from '../lib/format.ts';

export const useKeyMetrics = (isAsked = true) =>
  useApi<{ key_metrics: readonly KeyMetric[] }>('/api/key-metrics/', undefined, { enabled: isAsked });

/** What the cost of one of a key metric is called: by its unit, or else by its name. */
export const toUnitLabel = ({ name, unit }: Pick<KeyMetric, 'name' | 'unit'>): string =>
  `Cost per ${toName(unit ?? name)}`;
