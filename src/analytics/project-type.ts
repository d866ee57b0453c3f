import { Problem } from '../lib/problem.ts';
import type { Project } from '../projects/projects.ts';

/** The route of section 4 that answers for projects of each type. */
const routes = { revenue: '/api/margin/', internal: '/api/performance/' } as const;
const descriptions = {
  revenue: 'linked to revenue',
  internal: 'internal, tracked by key metrics',
} as const;

/**
 * Refuses a question that only projects of the other type can be asked (section 7). It is judged after the body: what is
 * not valid on any project is told first.
 * @throws Problem `wrong_project_type`, whose detail names the right route
 */
export function requireProjectType({ type }: Project, required: Project['type']): void {
  if (type === required) return;
  throw new Problem('wrong_project_type', `This project is ${descriptions[type]}: use POST ${routes[type]} instead.`);
}
