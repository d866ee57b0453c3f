import type { Project } from '../../accounts/projects.ts';
import { Problem } from '../../lib/problem.ts';

/** The route of section 4 for each type of project. */
const routes = { revenue: '/api/margin/', internal: '/api/performance/' } as const;
const descriptions = {
  revenue: 'linked to revenue',
  internal: 'internal, tracked by key metrics',
} as const;

/**
 * Refuses a question that only fits projects of the other type (section 7). Check the body first, so that a body that
 * is invalid for every project is reported as such.
 * @throws Problem `wrong_project_type`, whose detail names the right route
 */
export function requireProjectType({ type }: Project, required: Project['type']): void {
  if (type === required) return;
  throw new Problem('wrong_project_type', `This project is ${descriptions[type]}: use POST ${routes[type]} instead.`);
}
