// What good requests are, and what they are sent to.
import { type Answer, costEvent, expectStatus, type Farthing, type Project } from '../../support/client.ts';

export interface World {
  farthing: Farthing;
  /** A project of type revenue with calls, tags and a price. */
  project: Project;
  /** A project of type internal. */
  internal: Project;
  /** The ids of a reprice of `project` and of a rebuild of `internal`. Both take long, so all requests share them. */
  repriceId: string;
  rebuildId: string;
}

/** The first answer must be a success. Further answers may have any status in the document. */
export type Drive = (world: World) => Promise<Answer | Answer[]>;

export const idOf = (body: unknown): string => String(Object(body).id);
export const range = { date_from: '2024-05-01', date_to: '2024-05-31' };

export async function makeWorld(farthing: Farthing): Promise<World> {
  const [project, internal] = await Promise.all([
    farthing.createProject({ name: 'described' }),
    farthing.createProject({ name: 'described', type: 'internal', timezone: 'Europe/Berlin', at_risk_below_pct: 5 }),
  ]);
  const tags = { customer: 'acme', user: 'ann', feature: 'chat', run_id: 'run-1' };
  await Promise.all(
    [project, internal].map((one) =>
      one.post(costEvent({ cost: 1, tags }), costEvent({ cost: 2, model: 'unknown-model', tags: {} })),
    ),
  );
  await project.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
  await project.addPrice({ model: 'house-llm*', input_per_mtok: 1, output_per_mtok: 2 });
  const [reprice, rebuild] = await Promise.all([
    project.api('POST', '/api/prices/reprice/', range),
    farthing.admin('POST', `${internal.adminPath}/rebuilds/`),
  ]);
  const [repriceId, rebuildId] = [reprice, rebuild].map((answer) => idOf(expectStatus(answer, 202)));
  if (repriceId === undefined || rebuildId === undefined) throw new Error('both were asked for');
  return { farthing, project, internal, repriceId, rebuildId };
}
