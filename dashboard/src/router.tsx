import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Shell } from './shell.tsx';
import { parseSearch } from './state/search.ts';
import { NotFound } from './ui/not-found.tsx';

const root = createRootRoute({ component: Shell, validateSearch: parseSearch, notFoundComponent: NotFound });
const at = <Path extends string>(path: Path, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load as never, name as never) });

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
  at('/credits', () => import('./pages/credits.tsx'), 'Credits'),
  at('/settings', () => import('./pages/settings.tsx'), 'Settings'),
]);

export const router = createRouter({ routeTree, defaultPreload: false, scrollRestoration: true });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
