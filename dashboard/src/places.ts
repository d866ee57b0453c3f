import type { Search } from './state/search.ts';
import type { IconName } from './ui/icon-paths.ts';

export const placeGroups = ['Analyse', 'Money', 'Watch', 'Set up'] as const;
export type PlaceGroup = (typeof placeGroups)[number];

/** A page to go to. */
export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** The heading in the menu; the overview stands above all. */
  readonly group?: PlaceGroup;
  /** The type of projects that have it; undefined for both. */
  readonly of?: 'revenue' | 'internal';
  /** Whether only owners of the project, and admins, have it. */
  readonly isOfOwner?: true;
}

export const places: readonly Place[] = [
  { to: '/', label: 'Overview', icon: 'overview' },
  { to: '/customers', label: 'Customers', icon: 'customers', of: 'revenue', group: 'Analyse' },
  { to: '/users', label: 'Users and metrics', icon: 'customers', of: 'internal', group: 'Analyse' },
  { to: '/features', label: 'Features', icon: 'features', group: 'Analyse' },
  { to: '/models', label: 'Models', icon: 'models', group: 'Analyse' },
  { to: '/calls', label: 'Calls', icon: 'calls', group: 'Analyse' },
  { to: '/waste', label: 'Waste', icon: 'waste', group: 'Analyse' },
  { to: '/what-if', label: 'What if', icon: 'whatIf', group: 'Analyse' },
  { to: '/revenue', label: 'Revenue', icon: 'trend', of: 'revenue', group: 'Money' },
  { to: '/plans', label: 'Plans', icon: 'features', of: 'revenue', group: 'Money' },
  { to: '/prices', label: 'Prices', icon: 'prices', group: 'Money' },
  { to: '/credits', label: 'Credits', icon: 'credits', group: 'Money' },
  { to: '/shared-costs', label: 'Shared costs', icon: 'prices', group: 'Money' },
  { to: '/reconciliation', label: 'Reconciliation', icon: 'reconciliation', group: 'Money' },
  { to: '/closes', label: 'Closes', icon: 'closes', group: 'Money' },
  { to: '/report', label: 'Report', icon: 'report', group: 'Money' },
  { to: '/live', label: 'Live', icon: 'live', group: 'Watch' },
  { to: '/budgets', label: 'Budgets', icon: 'budgets', group: 'Watch' },
  { to: '/alerts', label: 'Alerts', icon: 'alerts', group: 'Watch' },
  { to: '/connect', label: 'Connect', icon: 'connect', group: 'Set up' },
  { to: '/people', label: 'People', icon: 'customers', group: 'Set up', isOfOwner: true },
  { to: '/settings', label: 'Settings', icon: 'settings', group: 'Set up' },
];

/** Without the order and the typed text of tables, which would hide rows of another page. */
export const withoutTables = <Of extends Search>({ sort: _sort, q: _q, lists: _lists, ...search }: Of) => search;

/** The part of the URL that links to other pages keep: without parameters that only one page uses. */
export const carried = ({
  shared: _shared,
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
  sheet: _sheet,
  view: _view,
  ...search
}: Search): Search => withoutTables(search);

/** The days that a page begins with, whatever is shown elsewhere: a report is of a month, and plans of a quarter. */
const ranges: Readonly<Record<string, Search['range']>> = { '/report': undefined, '/plans': '13w' };

/** Whether a page has begun with days of its own, which nobody chose. */
const isBegun = (at: string, { range }: Search): boolean =>
  at === '/report' ? range === 'lm' || range === 'mtd' : at in ranges && range === ranges[at];

/** What the link to a place, from the page `at` a path, keeps of the URL. */
export const toCarried =
  (to: string, at: string) =>
  (search: Search): Search => {
    if (to in ranges)
      return { ...carried(search), range: ranges[to], from: undefined, to: undefined, every: undefined };
    return isBegun(at, search) ? { ...carried(search), range: undefined } : carried(search);
  };
