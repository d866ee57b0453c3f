// A good request to every route. A new route needs a line in one of these files, so that its answer is compared with the
// OpenAPI document.

import type { Farthing, Json } from '../../support/client.ts';
import { providerAccounts } from './accounts-requests.ts';
import { analytics, assistants, calls, exports, lists, log, performance } from './answers-requests.ts';
import { alerts, budgets, notifications } from './budgets-requests.ts';
import { closes } from './closes-requests.ts';
import { customers, erasures, users } from './customers-requests.ts';
import { gateways, intake, telemetry } from './intake-requests.ts';
import { members } from './members-requests.ts';
import { credits, invoices, revenue, sharedCosts } from './money-requests.ts';
import { catalogue, prices } from './prices-requests.ts';
import { keys, operating, operations, projects, sessions } from './service-requests.ts';
import { stripe } from './stripe-requests.ts';
import type { Drive, World } from './world.ts';

const requests: Readonly<Record<string, Drive>> = {
  ...operations,
  ...sessions,
  ...intake,
  ...telemetry,
  ...gateways,
  ...analytics,
  ...performance,
  ...budgets,
  ...invoices,
  ...sharedCosts,
  ...providerAccounts,
  ...closes,
  ...alerts,
  ...credits,
  ...notifications,
  ...revenue,
  ...stripe,
  ...lists,
  ...log,
  ...exports,
  ...calls,
  ...customers,
  ...users,
  ...erasures,
  ...prices,
  ...catalogue,
  ...projects,
  ...keys,
  ...members,
  ...operating,
  ...assistants,
};

/** The routes that answer a file of all rows too. */
const pages = [
  ...['costs', 'margin', 'plans', 'performance', 'usage', 'waste', 'calls', 'reconciliation', 'closes/{id}/drift'].map(
    (path) => `POST /api/${path}/`,
  ),
  ...[
    'runs/{run}',
    'customers',
    'users',
    'features',
    'models',
    'providers',
    'events',
    'revenue',
    'invoices',
    'shared-costs',
  ].map((path) => `GET /api/${path}/`),
  ...['exports/focus', 'next-steps', 'closes', 'alerts/firings', 'exchange-rates', 'stripe/customers', 'erasures'].map(
    (path) => `GET /api/${path}/`,
  ),
  ...['prices/reprices', 'notification-endpoints/{id}/attempts', 'audit'].map((path) => `GET /api/${path}/`),
];

export const goodRequests: Readonly<Record<string, Drive>> = {
  ...requests,
  ...Object.fromEntries(
    pages.map((key) => [
      key.replace('/api/', '/api/files/'),
      async (world: World) => (await requests[key]?.(askingFiles(world, key))) ?? [],
    ]),
  ),
};

/** The world in which requests of this key are for a file. */
function askingFiles(world: World, key: string): World {
  const [method, path = ''] = key.split(' ');
  const asked = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const farthing: Farthing = {
    ...world.farthing,
    createProject: async (fields) => (await world.farthing.createProject(fields)).through(farthing),
    send: async (by, to, options = {}) => {
      const [place = '', query = ''] = to.split('?');
      if (by !== method || !asked.test(place)) return await world.farthing.send(by, to, options);
      const { limit: _limit, cursor: _cursor, ...body } = Object(options.body) as Json;
      const search = new URLSearchParams(query);
      for (const name of ['limit', 'cursor', 'format']) search.delete(name);
      search.set('format', 'csv');
      const file = `${place.replace('/api/', '/api/files/')}?${search}`;
      return await world.farthing.send(by, file, options.body === undefined ? options : { ...options, body });
    },
  };
  return { ...world, farthing, project: world.project.through(farthing), internal: world.internal.through(farthing) };
}
