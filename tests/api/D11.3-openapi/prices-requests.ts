// A good request to every route of prices.
import { randomUUID } from 'node:crypto';
import { backgroundWithin, poll } from '../../support/poll.ts';
import { type Drive, idOf, range } from './world.ts';

export const prices: Record<string, Drive> = {
  'GET /api/prices/': ({ project }) => project.api('GET', '/api/prices/'),
  'GET /api/models/{name}/price/': async ({ project }) => [
    await project.api('GET', '/api/models/gpt-4o/price/'),
    await project.api('GET', '/api/models/claude-opus-4-6/price/?at=2026-03-12'),
    await project.api('GET', '/api/models/house-llm/price/?at=2026-11-01T00:00:00Z&provider=us&service_tier=batch'),
    await project.api('GET', '/api/models/nobody%2Fknows/price/'),
  ],
  'POST /api/prices/': ({ project }) => project.api('POST', '/api/prices/', price()),
  'DELETE /api/prices/{id}/': async ({ project }) =>
    project.api('DELETE', `/api/prices/${await project.addPrice(price())}/`),
  'POST /api/prices/reprice/': async ({ project }) => [
    await project.api('POST', '/api/prices/reprice/', range),
    await project.api('POST', '/api/prices/reprice/', { ...range, dry_run: false }),
    await project.api('POST', '/api/prices/reprice/', { ...range, assume: { models: { m1: 'nobody-knows' } } }),
  ],
  'GET /api/prices/reprices/': ({ project }) => project.api('GET', '/api/prices/reprices/'),
  'GET /api/prices/reprices/{id}/': async ({ project, repriceId }) => {
    const assume = { models: { m1: 'gpt-4o' }, overrides: [price()], cached_share: 0.5, service_tier: 'batch' };
    const whatIf = await project.api('POST', '/api/prices/reprice/', { ...range, assume });
    const read = (id: string) => project.api('GET', `/api/prices/reprices/${id}/`);
    const readDone = (id: string) =>
      poll('the reprice is done', { within: backgroundWithin }, async () => {
        const answer = await read(id);
        return Object(answer.body).state === 'done' ? answer : undefined;
      });
    return [await read(repriceId), await readDone(repriceId), await readDone(idOf(whatIf.body))];
  },
};

export const catalogue: Record<string, Drive> = {
  'GET /admin/prices/update/': ({ farthing }) => farthing.admin('GET', '/admin/prices/update/'),
  'POST /admin/prices/update/': ({ farthing }) => farthing.admin('POST', '/admin/prices/update/'),
  'POST /admin/prices/look/': ({ farthing }) => farthing.admin('POST', '/admin/prices/look/'),
  'GET /api/price-check/': async ({ project }) => [
    await project.api('GET', '/api/price-check/'),
    await project.api('GET', '/api/price-check/?days=0'),
  ],
};

const price = () => ({ model: `described-${randomUUID()}`, input_per_mtok: 1, output_per_mtok: '2.5' });
