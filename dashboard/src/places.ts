import type { Search } from './state/search.ts';
import type { IconName } from './ui/icon-paths.ts';

/** A page to go to. */
export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** Whether other pages lead there, and the navigation doesn't. */
  readonly isAside?: true;
  /** The type of projects that have it; undefined for both. */
  readonly of?: 'revenue' | 'internal';
}

export const places: readonly Place[] = [
  { to: '/', label: 'Overview', icon: 'overview' },
  { to: '/customers', label: 'Customers', icon: 'customers', of: 'revenue' },
  { to: '/users', label: 'Users and metrics', icon: 'customers', of: 'internal' },
  { to: '/features', label: 'Features', icon: 'features' },
  { to: '/models', label: 'Models', icon: 'models' },
  { to: '/calls', label: 'Calls', icon: 'calls' },
  { to: '/live', label: 'Live', icon: 'live' },
  { to: '/prices', label: 'Prices', icon: 'prices' },
  { to: '/credits', label: 'Credits', icon: 'credits' },
  { to: '/waste', label: 'Waste', icon: 'waste' },
  { to: '/what-if', label: 'What if', icon: 'whatIf' },
  { to: '/revenue', label: 'Revenue', icon: 'trend', of: 'revenue' },
  { to: '/reconciliation', label: 'Reconciliation', icon: 'reconciliation' },
  { to: '/closes', label: 'Closes', icon: 'closes' },
  { to: '/budgets', label: 'Budgets', icon: 'budgets' },
  { to: '/alerts', label: 'Alerts', icon: 'alerts' },
  { to: '/report', label: 'Report of a month', icon: 'report', isAside: true },
  { to: '/connect', label: 'Connect', icon: 'connect' },
  { to: '/settings', label: 'Settings', icon: 'settings' },
];

/** The part of the URL that links to other pages keep: without parameters that only one page uses. */
export const carried = ({
  sort: _sort,
  q: _q,
  changes: _changes,
  metric: _metric,
  budget: _budget,
  month: _month,
  reconciled: _reconciled,
  of: _of,
  close: _close,
  drift: _drift,
  waste: _waste,
  swap: _swap,
  cached: _cached,
  tier: _tier,
  asked: _asked,
  table: _table,
  kind: _kind,
  way: _way,
  ...search
}: Search): Search => search;

/** What the link to a place keeps of the URL. A report is of the last month, whatever is shown elsewhere. */
export const toCarried = (to: string): ((search: Search) => Search) =>
  to === '/report'
    ? (search) => ({ ...carried(search), range: undefined, from: undefined, to: undefined, every: undefined })
    : carried;
