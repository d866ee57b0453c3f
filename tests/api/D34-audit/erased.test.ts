import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { erase } from '../D2-erasure/support.ts';
import { readAdminLog, readLog } from './support.ts';

const farthing = sharedFarthing();

test('D34.3: an erasure leaves no name in the log, and keeps what was done, when and by whom', async () => {
  const project = await farthing.createProject();
  const id = randomUUID();
  // With characters that JSON and patterns write in another way.
  const name = `Müller & "Söhne" \\ ${id} %`;
  const days = { date_from: '2024-05-01', date_to: '2024-05-31' };
  await project.post(costEvent({ cost: 1, tags: { customer: name } }));
  const longer = `${name} & more`;
  const tags = { plan: 'pro' };
  const customers = [name, 'stays', longer].map((customer_name) => ({ customer_name, tags }));
  await project.tag(...customers);
  const entries = [
    { external_id: 'r-1', customer: name, amount: 7, ...days },
    { external_id: 'r-2', customer: longer, amount: 8, ...days },
  ];
  expectStatus(await project.api('POST', '/api/revenue/', { entries }), 200);
  const budget = { amount: 5, period: 'month', thresholds: [80], scope: { customers: [name, 'stays'] } };
  expectStatus(await project.api('POST', '/api/budgets/', { name: 'of both', ...budget }), 201);
  expectStatus(await project.api('POST', '/api/budgets/', { name: `for ${name}!`, ...budget }), 201);
  const many = [name, ...Array.from({ length: 900 }, (_, at) => `one of many customers ${at}`)];
  const ofMany = { name: 'of many', ...budget, scope: { customers: many } };
  expectStatus(await project.api('POST', '/api/budgets/', ofMany), 201);
  const pair = { customers: [{ stripe_customer: 'cus_1', customer: name }] };
  expectStatus(await project.api('PUT', '/api/stripe/customers/', pair), 200);
  const before = await readLog(project);
  expect(JSON.stringify(before)).toContain(id);

  await erase(project, `/api/customers/${encodeURIComponent(name)}/`);
  const after = await readLog(project);
  const [erasure] = after;
  expect(erasure).toMatchObject({
    actor: 'admin_token',
    action: 'created',
    kind: 'erasure',
    after: { dimension: 'customer' },
  });
  // Who, when and what kind of change stay, of all entries.
  const outline = ({ id, at, actor, action, kind }: (typeof after)[number]) => ({ id, at, actor, action, kind });
  expect(after.slice(1).map(outline)).toEqual(before.map(outline));
  for (const log of [after, await readAdminLog(farthing, `project_id=${project.id}`)]) {
    // Another customer, whose name has this one in it, stays.
    const others = log.map((entry) => JSON.stringify(entry).replaceAll(JSON.stringify(longer), ''));
    expect(others.filter((entry) => entry.includes('Müller') || entry.includes(id))).toEqual([]);
  }
  const ofKind = (kind: string) =>
    after.filter((entry) => entry.kind === kind).map(({ subject, after }) => ({ subject, after }));
  const emptied = { subject: '', after: null };
  expect(ofKind('customer_tags')).toEqual(
    expect.arrayContaining([emptied, { subject: 'stays', after: tags }, { subject: longer, after: tags }]),
  );
  expect(ofKind('revenue_entry')).toEqual(
    expect.arrayContaining([emptied, { subject: 'r-2', after: expect.objectContaining({ customer: longer }) }]),
  );
  expect(ofKind('stripe_customer')).toEqual([emptied]);
  expect(ofKind('budget')).toEqual([
    { subject: 'of many', after: expect.objectContaining({ scope: expect.stringMatching(/^\(\d+ characters\)$/) }) },
    emptied,
    { subject: 'of both', after: expect.objectContaining({ scope: { customers: ['', 'stays'] } }) },
  ]);
});

test('D34.3: an erased name is found in other spellings and where a script puts no spaces, and not in the middle of a word', async () => {
  const project = await farthing.createProject();
  const [name, latin] = ['アクメ', 'acme'];
  const budget = { amount: 5, period: 'month', thresholds: [80] };
  const names = ['アクメ様の予算', '前acme様', 'acmes', 'บริษัทacmeจำกัด'];
  // Other spellings: capitals, full width, in an address, and with accents of their own.
  const [accented, plan] = ['Zoë & co', 'plan'];
  names.push('for ACME', 'ａｃｍｅ GmbH', 'utm=%61cme', 'c%20o', 'ZOE\u0308 & CO 2026', 'q=Zo%C3%AB+%26+co', '%ff zoe');
  for (const of of names) expectStatus(await project.api('POST', '/api/budgets/', { name: of, ...budget }), 201);
  await project.tag(...[name, latin].map((customer_name) => ({ customer_name, tags: { plan: 'pro' } })));
  const others = { plan: 'pro', parent: 'ACME Inc.', city: 'Acmeville', 'plan b': 'no plan', customer: latin };
  const scope = { customers: ['acme eu', latin], customer_tags: { parent: ['Acme EU', 'else'] } };
  expectStatus(await project.api('POST', '/api/budgets/', { name: 'scoped', ...budget, scope }), 201);
  await project.tag({ customer_name: 'other', tags: others }, { customer_name: 'ACME', tags: { plan: 'pro' } });
  await Promise.all(
    [name, latin, accented, plan].map((one) => erase(project, `/api/customers/${encodeURIComponent(one)}/`)),
  );
  const log = await readLog(project);
  const budgets = log.filter(({ kind }) => kind === 'budget');
  const left = ['scoped', '%ff zoe', '', '', 'c%20o', '', '', '', '', 'acmes', '', ''];
  expect(budgets.map(({ subject }) => subject)).toEqual(left);
  expect(budgets[0]?.after?.scope).toEqual({ customers: ['acme eu', ''], customer_tags: { parent: ['', 'else'] } });
  // Another customer keeps its tags but for texts with a name, and its own name in capitals; `plan` is their key, too.
  const tags = log.filter(({ kind }) => kind === 'customer_tags').map(({ subject, after }) => [subject, after]);
  expect(tags).toEqual(
    expect.arrayContaining([
      ['other', { ...others, parent: '', 'plan b': '', customer: '' }],
      ['ACME', { plan: 'pro' }],
      ['', null],
    ]),
  );
  expect(tags).toHaveLength(4);
});
