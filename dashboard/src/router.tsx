import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { withoutTables } from './places.ts';
import { Shell } from './shell.tsx';
import { noteReached } from './state/connection.ts';
import { parseSearch } from './state/search.ts';
import { NotFound } from './ui/not-found.tsx';
import { Waiting } from './ui/waiting.tsx';

const root = createRootRoute({ component: Shell, validateSearch: parseSearch, notFoundComponent: NotFound });

/** How long a page's script is waited for before it is asked for again, in milliseconds. */
const againMs = 2_000;

/** A page whose script loads when it is first opened. Without the service it waits for that, and the page before stays. */
type Load<Name extends string> = () => Promise<Record<Name, RouteComponent>>;

function lazyPage<Name extends string>(load: Load<Name>, name: Name): RouteComponent {
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

const isOn = (path: string): boolean => router.getMatchedRoutes(router.latestLocation.pathname)[2]?.id === path;

/** Links from other pages, whatever they keep of the URL, keep nothing of the tables there. */
const at = <Path extends string, Name extends string>(path: Path, load: Load<Name>, name: Name) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyPage(load, name),
    search: { middlewares: [({ search, next }) => next(isOn(path) ? search : withoutTables(search))] },
  });

const routeTree = root.addChildren([
  at('/', () => import('./pages/overview.tsx'), 'Overview'),
  at('/customers', () => import('./pages/customers.tsx'), 'Customers'),
  at('/customers/$name', () => import('./pages/customer.tsx'), 'Customer'),
  at('/users', () => import('./pages/users.tsx'), 'Users'),
  at('/users/$name', () => import('./pages/user.tsx'), 'User'),
  at('/features', () => import('./pages/breakdown.tsx'), 'Features'),
  at('/models', () => import('./pages/breakdown.tsx'), 'Models'),
  at('/calls', () => import('./pages/calls.tsx'), 'Calls'),
  at('/calls/$id', () => import('./pages/call.tsx'), 'OneCall'),
  at('/runs/$run', () => import('./pages/run.tsx'), 'OneRun'),
  at('/live', () => import('./pages/live.tsx'), 'Live'),
  at('/prices', () => import('./pages/prices.tsx'), 'Prices'),
  at('/plans', () => import('./pages/plans.tsx'), 'Plans'),
  at('/credits', () => import('./pages/credits.tsx'), 'Credits'),
  at('/shared-costs', () => import('./pages/shared-costs.tsx'), 'SharedCosts'),
  at('/waste', () => import('./pages/waste.tsx'), 'WastePage'),
  at('/what-if', () => import('./pages/what-if.tsx'), 'WhatIf'),
  at('/revenue', () => import('./pages/revenue.tsx'), 'Revenue'),
  at('/reconciliation', () => import('./pages/reconciliation.tsx'), 'Reconciliation'),
  at('/closes', () => import('./pages/closes.tsx'), 'Closes'),
  at('/budgets', () => import('./pages/budgets.tsx'), 'Budgets'),
  at('/alerts', () => import('./pages/alerts.tsx'), 'Alerts'),
  at('/report', () => import('./pages/report.tsx'), 'Report'),
  at('/connect', () => import('./pages/connect.tsx'), 'Connect'),
  at('/people', () => import('./pages/people.tsx'), 'People'),
  at('/sign-in', () => import('./pages/signed-in.tsx'), 'SignedIn'),
  at('/settings', () => import('./pages/settings.tsx'), 'Settings'),
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
