// What good requests are sent to.
import { costEvent, expectStatus, type Farthing } from '../../support/client.ts';
import { idOf, range, type World } from './requests.ts';

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
