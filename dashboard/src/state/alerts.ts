import { useApi } from '../api/queries.ts';
import type { Alert } from '../api/types.ts';

/** How often alerts are asked for, in milliseconds. */
export const everyMs = 30_000;

/** The kinds of alerts with their settings. */
export const useAlerts = () => useApi<{ alerts: readonly Alert[] }>('/api/alerts/', undefined, { every: everyMs });

/** How many firings are open; undefined while that is not known. */
export function useOpenCount(): number | undefined {
  return useAlerts().data?.alerts.reduce((sum, { open }) => sum + open, 0);
}
