import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { Shell } from './shell.tsx';
import { parseSearch } from './state/search.ts';
import { NotFound } from './ui/not-found.tsx';

const root = createRootRoute({ component: Shell, validateSearch: parseSearch, notFoundComponent: NotFound });
const at = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component });

const routeTree = root.addChildren([
  at(
    '/',
    lazyRouteComponent(() => import('./pages/overview.tsx'), 'Overview'),
  ),
  at(
    '/customers',
    lazyRouteComponent(() => import('./pages/customers.tsx'), 'Customers'),
  ),
  at(
    '/customers/$name',
    lazyRouteComponent(() => import('./pages/customer.tsx'), 'Customer'),
  ),
  at(
    '/users',
    lazyRouteComponent(() => import('./pages/users.tsx'), 'Users'),
  ),
  at(
    '/users/$name',
    lazyRouteComponent(() => import('./pages/user.tsx'), 'User'),
  ),
  at(
    '/features',
    lazyRouteComponent(() => import('./pages/breakdown.tsx'), 'Features'),
  ),
  at(
    '/models',
    lazyRouteComponent(() => import('./pages/breakdown.tsx'), 'Models'),
  ),
  at(
    '/calls',
    lazyRouteComponent(() => import('./pages/calls.tsx'), 'Calls'),
  ),
  at(
    '/calls/$id',
    lazyRouteComponent(() => import('./pages/call.tsx'), 'OneCall'),
  ),
  at(
    '/runs/$run',
    lazyRouteComponent(() => import('./pages/run.tsx'), 'OneRun'),
  ),
  at(
    '/live',
    lazyRouteComponent(() => import('./pages/live.tsx'), 'Live'),
  ),
  at(
    '/prices',
    lazyRouteComponent(() => import('./pages/prices.tsx'), 'Prices'),
  ),
  at(
    '/credits',
    lazyRouteComponent(() => import('./pages/credits.tsx'), 'Credits'),
  ),
  at(
    '/waste',
    lazyRouteComponent(() => import('./pages/waste.tsx'), 'WastePage'),
  ),
  at(
    '/what-if',
    lazyRouteComponent(() => import('./pages/what-if.tsx'), 'WhatIf'),
  ),
  at(
    '/revenue',
    lazyRouteComponent(() => import('./pages/revenue.tsx'), 'Revenue'),
  ),
  at(
    '/reconciliation',
    lazyRouteComponent(() => import('./pages/reconciliation.tsx'), 'Reconciliation'),
  ),
  at(
    '/closes',
    lazyRouteComponent(() => import('./pages/closes.tsx'), 'Closes'),
  ),
  at(
    '/budgets',
    lazyRouteComponent(() => import('./pages/budgets.tsx'), 'Budgets'),
  ),
  at(
    '/alerts',
    lazyRouteComponent(() => import('./pages/alerts.tsx'), 'Alerts'),
  ),
  at(
    '/report',
    lazyRouteComponent(() => import('./pages/report.tsx'), 'Report'),
  ),
  at(
    '/connect',
    lazyRouteComponent(() => import('./pages/connect.tsx'), 'Connect'),
  ),
  at(
    '/settings',
    lazyRouteComponent(() => import('./pages/settings.tsx'), 'Settings'),
  ),
]);

export const router = createRouter({ routeTree, defaultPreload: false, scrollRestoration: true });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
