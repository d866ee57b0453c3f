import { z } from 'zod';
import type { App } from '../lib/http/app.ts';
import { problemWith } from '../lib/http/problem-schema.ts';
import { Problem } from '../lib/problem.ts';
import { projectOf } from './guard.ts';
import { findProject } from './project-record.ts';
import type { Projects } from './projects.ts';

interface Deletion<Params extends z.ZodObject> {
  /** With these the path names the project by its `id`, and the admin token or an owner is needed. */
  readonly projects?: Projects;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly params: Params;
  readonly done: string;
  /** Says that the project has none. */
  readonly missing: string;
  /** Why one that there is may not be deleted. */
  readonly conflict?: string;
  /** Deletes it; false when there is none. */
  readonly run: (params: z.output<Params>, projectId: string) => Promise<boolean>;
}

/** `DELETE` of something of a project: 204 when it is deleted or revoked, 404 when there is none. */
export function registerDeletion<Params extends z.ZodObject>(
  app: App,
  path: string,
  { projects, summary, description, tags, params, done, missing, conflict, run }: Deletion<Params>,
): void {
  app.delete(path, {
    config: projects ? { access: 'admin', role: 'owner', roleIn: 'path' } : { access: 'write' },
    schema: {
      summary,
      description,
      tags: [...tags],
      params,
      response: {
        204: z.null().describe(done),
        ...(conflict !== undefined && { 409: problemWith().describe(conflict) }),
      },
    },
    handler: async (request, reply) => {
      // The params are validated by their schema, whose type the route cannot infer here.
      const params = request.params as z.output<Params>;
      const project = projects ? await findProject(projects, String(params.id)) : projectOf(request);
      if (!(await run(params, project.id))) throw new Problem('not_found', missing);
      return reply.code(204).send(null);
    },
  });
}
