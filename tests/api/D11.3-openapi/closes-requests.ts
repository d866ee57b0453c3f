import type { Project } from '../../support/client.ts';
import { type Drive, idOf } from './world.ts';

const through = '2020-01-01';

const closeDays = async (project: Project): Promise<string> =>
  idOf((await project.api('POST', '/api/closes/', { through })).body);

export const closes: Record<string, Drive> = {
  'POST /api/closes/': async ({ farthing }) => {
    const project = await farthing.createProject();
    return [
      await project.api('POST', '/api/closes/', { through, note: 'the first days' }),
      await project.api('POST', '/api/closes/', { through: 'today' }),
    ];
  },
  'GET /api/closes/': async ({ farthing }) => {
    const project = await farthing.createProject();
    await closeDays(project);
    return await project.api('GET', '/api/closes/?limit=1');
  },
  'GET /api/closes/{id}/': async ({ farthing }) => {
    const project = await farthing.createProject();
    const id = await closeDays(project);
    return [await project.api('GET', `/api/closes/${id}/`), await project.api('GET', `/api/closes/${id}x/`)];
  },
  'POST /api/closes/{id}/drift/': async ({ farthing }) => {
    const project = await farthing.createProject();
    const id = await closeDays(project);
    const entry = { external_id: 'late', customer: 'acme', amount: 3, date_from: through };
    await project.api('POST', '/api/revenue/', { entries: [entry] });
    const ask = (body: object) => project.api('POST', `/api/closes/${id}/drift/`, body);
    return [await ask({}), await ask({ limit: 0 })];
  },
  'DELETE /api/closes/{id}/': async ({ farthing }) => {
    const project = await farthing.createProject();
    const id = await closeDays(project);
    return [await project.api('DELETE', `/api/closes/${id}/`), await project.api('DELETE', `/api/closes/${id}/`)];
  },
};
