import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { Shell } from './shell.tsx';
import { noteReached } from './state/connection.ts';
import { parseSearch } from './state/search.ts';
import { NotFound } from './ui/not-found.tsx';
import { Waiting } from './ui/waiting.tsx';

const root = createRootRoute({ component: Shell, validateSearch: parseSearch, notFoundComponent: NotFound });

/** How long a page's script is waited for before it is asked for again, in milliseconds. */
const againMs = 2_000;

/** A page whose script loads when it is first opened. Without the service it waits for that, and the page before stays. */
function lazyPage<Name extends string>(load: () => Promise<Record<Name, RouteComponent>>, name: Name): RouteComponent {
  return lazyRouteComponent(async () => {
    for (;;) {
      try {
        return await load();
      } catch {
        noteReached(false);
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
    }
  }, name);
}

const at = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component });

const routeTree = root.addChildren([
  at(
    '/',
    lazyPage(() => import('./pages/overview.tsx'), 'Overview'),
  ),
  at(
    '/customers',
    lazyPage(() => import('./pages/customers.tsx'), 'Customers'),
  ),
  at(
    '/customers/$name',
    lazyPage(() => import('./pages/customer.tsx'), 'Customer'),
  ),
  at(
    '/users',
    lazyPage(() => import('./pages/users.tsx'), 'Users'),
  ),
  at(
    '/users/$name',
    lazyPage(() => import('./pages/user.tsx'), 'User'),
  ),
  at(
    '/features',
    lazyPage(() => import('./pages/breakdown.tsx'), 'Features'),
  ),
  at(
    '/models',
    lazyPage(() => import('./pages/breakdown.tsx'), 'Models'),
  ),
  at(
    '/calls',
    lazyPage(() => import('./pages/calls.tsx'), 'Calls'),
  ),
  at(
    '/calls/$id',
    lazyPage(() => import('./pages/call.tsx'), 'OneCall'),
  ),
  at(
    '/runs/$run',
    lazyPage(() => import('./pages/run.tsx'), 'OneRun'),
  ),
  at(
    '/live',
    lazyPage(() => import('./pages/live.tsx'), 'Live'),
  ),
  at(
    '/prices',
    lazyPage(() => import('./pages/prices.tsx'), 'Prices'),
  ),
  at(
    '/plans',
    lazyPage(() => import('./pages/plans.tsx'), 'Plans'),
  ),
  at(
    '/credits',
    lazyPage(() => import('./pages/credits.tsx'), 'Credits'),
  ),
  at(
    '/shared-costs',
    lazyPage(() => import('./pages/shared-costs.tsx'), 'SharedCosts'),
  ),
  at(
    '/waste',
    lazyPage(() => import('./pages/waste.tsx'), 'WastePage'),
  ),
  at(
    '/what-if',
    lazyPage(() => import('./pages/what-if.tsx'), 'WhatIf'),
  ),
  at(
    '/revenue',
    lazyPage(() => import('./pages/revenue.tsx'), 'Revenue'),
  ),
  at(
    '/reconciliation',
    lazyPage(() => import('./pages/reconciliation.tsx'), 'Reconciliation'),
  ),
  at(
    '/closes',
    lazyPage(() => import('./pages/closes.tsx'), 'Closes'),
  ),
  at(
    '/budgets',
    lazyPage(() => import('./pages/budgets.tsx'), 'Budgets'),
  ),
  at(
    '/alerts',
    lazyPage(() => import('./pages/alerts.tsx'), 'Alerts'),
  ),
  at(
    '/report',
    lazyPage(() => import('./pages/report.tsx'), 'Report'),
  ),
  at(
    '/connect',
    lazyPage(() => import('./pages/connect.tsx'), 'Connect'),
  ),
  at(
    '/people',
    lazyPage(() => import('./pages/people.tsx'), 'People'),
  ),
  at(
    '/sign-in',
    lazyPage(() => import('./pages/signed-in.tsx'), 'SignedIn'),
  ),
  at(
    '/settings',
    lazyPage(() => import('./pages/settings.tsx'), 'Settings'),
  ),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: false,
  defaultPendingComponent: Waiting,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
