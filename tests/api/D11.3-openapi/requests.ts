// A good request to every route. A new route needs a line in one of these files, so that its answer is compared with the
// OpenAPI document.
import { analytics, assistants, calls, exports, lists, log, performance } from './answers-requests.ts';
import { alerts, budgets, notifications } from './budgets-requests.ts';
import { closes } from './closes-requests.ts';
import { customers, erasures, users } from './customers-requests.ts';
import { gateways, intake, telemetry } from './intake-requests.ts';
import { credits, invoices, revenue } from './money-requests.ts';
import { catalogue, prices } from './prices-requests.ts';
import { keys, operating, operations, projects, sessions } from './service-requests.ts';
import { stripe } from './stripe-requests.ts';
import type { Drive } from './world.ts';

export const goodRequests: Readonly<Record<string, Drive>> = {
  ...operations,
  ...sessions,
  ...intake,
  ...telemetry,
  ...gateways,
  ...analytics,
  ...performance,
  ...budgets,
  ...invoices,
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
  ...operating,
  ...assistants,
};
