/** The groups of routes, in the order in which the reference shows them. A route names one of them in `schema.tags`. */
export const openApiTags = [
  { name: 'Intake', description: 'Takes the events that clients send of their AI calls.' },
  { name: 'Analytics', description: 'Costs, margin, performance and usage by period, and by one dimension.' },
  { name: 'Calls', description: 'The calls, runs and events behind the numbers, and how each cost was reached.' },
  { name: 'Customers', description: 'Customers and their tags.' },
  { name: 'Users', description: 'Users and their tags.' },
  {
    name: 'Lists',
    description: 'The customers, users, features, models and providers that were seen: values for filters.',
  },
  {
    name: 'Coverage',
    description: 'What the numbers rest on: how much is priced and attributed, and what is missing.',
  },
  { name: 'Prices', description: 'Prices of models, overrides of a project, and pricing past days anew.' },
  { name: 'Credits', description: 'Grants of free AI credits and what is left of them.' },
  { name: 'Revenue', description: 'What customers paid, against which costs are set.' },
  { name: 'Key metrics', description: 'What counts as output of an internal project.' },
  { name: 'Projects', description: 'The project of the key.' },
  { name: 'Erasure', description: 'Deleting everything of one customer or user.' },
  { name: 'Session', description: 'Sign-in of the page: a cookie in the place of a key.' },
  { name: 'Admin', description: 'Projects, clients and their secrets, and API keys; with the admin token.' },
  { name: 'Operations', description: 'Health, metrics, and this description.' },
] as const;
