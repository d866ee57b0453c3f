// A good request to every route of revenue, credit grants, invoices and shared costs.
import { randomUUID } from 'node:crypto';
import { expectStatus, type Json, type Project } from '../../support/client.ts';
import { postRevenue } from '../../support/margin.ts';
import { type Drive, idOf, range } from './world.ts';

const entry = () => ({ external_id: randomUUID(), customer: 'acme', amount: '2.5', date_from: '2024-05-01' });

export const revenue: Record<string, Drive> = {
  'GET /api/revenue/': async ({ project }) => {
    expectStatus(await postRevenue(project, [entry(), entry()]), 200);
    return [
      await project.api('GET', '/api/revenue/?limit=1'),
      await project.api('GET', '/api/revenue/?customer=acme&date_from=2024-05-01&date_to=2024-05-31'),
      await project.api('GET', '/api/revenue/?cursor=nonsense'),
    ];
  },
  'POST /api/revenue/': async ({ project }) => [
    await postRevenue(project, [entry(), { ...entry(), amount: -1, date_to: '2024-05-31' }]),
    await postRevenue(project, [{ ...entry(), amount: 'much' }]),
  ],
  'DELETE /api/revenue/{external_id}/': async ({ project }) => {
    const made = entry();
    expectStatus(await postRevenue(project, [made]), 200);
    return await project.api('DELETE', `/api/revenue/${made.external_id}/`);
  },
};

const grant = () => ({ provider: 'described', amount: '2.5', starts_on: '2024-05-01', expires_on: '2024-05-31' });

export const credits: Record<string, Drive> = {
  'GET /api/credit-grants/': async ({ project }) => {
    expectStatus(await project.api('POST', '/api/credit-grants/', grant()), 201);
    return await project.api('GET', '/api/credit-grants/');
  },
  'POST /api/credit-grants/': async ({ project }) => [
    await project.api('POST', '/api/credit-grants/', grant()),
    await project.api('POST', '/api/credit-grants/', { ...grant(), models: ['m*'], priority: -1, name: 'described' }),
    await project.api('POST', '/api/credit-grants/', { ...grant(), amount: 0 }),
  ],
  'DELETE /api/credit-grants/{id}/': async ({ project }) => {
    const id = idOf(expectStatus(await project.api('POST', '/api/credit-grants/', grant()), 201));
    return await project.api('DELETE', `/api/credit-grants/${id}/`);
  },
};

const charge = { provider: 'openai', date_from: '2024-05-15', date_to: '2024-05-16', model: 'm', amount: '1.25' };

/** Adds an entry of an invoice, and returns its path. */
async function addInvoice(project: Project): Promise<string> {
  const id = randomUUID();
  const entries = [{ external_id: id, ...charge }];
  expectStatus(await project.api('POST', '/api/invoices/', { entries }), 201);
  return `/api/invoices/${id}/`;
}

export const invoices: Record<string, Drive> = {
  'GET /api/invoices/': async ({ project }) => {
    await addInvoice(project);
    return await project.api('GET', '/api/invoices/?provider=openai&date_from=2024-05-16');
  },
  'POST /api/invoices/': async ({ project }) => {
    const post = (entries: readonly Json[]) => project.api('POST', '/api/invoices/', { entries });
    return [await post([{ external_id: 'described', ...charge, kind: 'tax', description: 'VAT' }]), await post([{}])];
  },
  'DELETE /api/invoices/': async ({ project }) => {
    const entries = [{ external_id: randomUUID(), ...charge, provider: 'described' }];
    expectStatus(await project.api('POST', '/api/invoices/', { entries }), 201);
    const within = 'provider=described&date_from=2024-05-15&date_to=2024-05-16';
    return [await project.api('DELETE', `/api/invoices/?${within}`), await project.api('DELETE', '/api/invoices/')];
  },
  'DELETE /api/invoices/{external_id}/': async ({ project }) => {
    const path = await addInvoice(project);
    return [await project.api('DELETE', path), await project.api('DELETE', path)];
  },
  'POST /api/reconciliation/': async ({ project }) => {
    await addInvoice(project);
    const ask = (fields: Json) => project.api('POST', '/api/reconciliation/', { ...range, ...fields });
    return [
      await ask({ aggregate: 'all', group_by: 'model' }),
      await ask({ aggregate: 'month' }),
      await ask({ limit: 0 }),
    ];
  },
};

const shared = () => ({ ...{ external_id: randomUUID(), name: 'GPU', amount: 12 }, ...sharedBy });
const sharedBy = { date_from: '2024-05-01', date_to: '2024-05-31', allocate_by: 'tokens' };
const share = (project: Project, entries: readonly Json[]) => project.api('POST', '/api/shared-costs/', { entries });

export const sharedCosts: Record<string, Drive> = {
  'GET /api/shared-costs/': async ({ project }) => {
    const scope = { models: ['m'], tags: { team: 'search' } };
    expectStatus(await share(project, [shared(), { ...shared(), scope }]), 201);
    return [
      await project.api('GET', '/api/shared-costs/?date_from=2024-05-31'),
      await project.api('GET', '/api/shared-costs/?limit=0'),
    ];
  },
  'GET /api/shared-cost-allocation/': async ({ project }) => {
    expectStatus(await share(project, [shared()]), 201);
    const path = '/api/shared-cost-allocation/?date_from=2024-05-01';
    return [await project.api('GET', `${path}&date_to=2024-05-31`), await project.api('GET', `${path}&date_to=x`)];
  },
  'POST /api/shared-costs/': async ({ project }) => [
    await share(project, [shared()]),
    await share(project, [{ ...shared(), allocate_by: 'users' }]),
    await share(
      project,
      Array.from({ length: 51 }, (_, at) => ({ ...shared(), scope: { models: [`m${at}`] } })),
    ),
  ],
  'DELETE /api/shared-costs/{external_id}/': async ({ project }) => {
    const made = shared();
    expectStatus(await share(project, [made]), 201);
    const path = `/api/shared-costs/${made.external_id}/`;
    return [await project.api('DELETE', path), await project.api('DELETE', path)];
  },
};
