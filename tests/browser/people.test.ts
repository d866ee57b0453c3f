import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openChromium } from '../support/chromium.ts';
import { sharedFarthing } from '../support/client.ts';
import { visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
});

test('D34.1, D34.2: a member is invited on the page, signs in by the link, changes a price, is removed and shut out', async () => {
  const project = await farthing.createProject({ name: 'a team' });
  const admin = await visit(browser, farthing, { as: farthing.adminToken });
  await admin.open(`/people?project=${project.id}`);
  await admin.window.getByRole('button', { name: 'Invite somebody' }).click();
  const email = `${project.id.toLowerCase()}@example.com`;
  await admin.window.getByLabel('E-mail').fill(email);
  await admin.window.getByLabel('Name').fill('Ada');
  await admin.window.getByLabel('Role in a team').selectOption('editor');
  await admin.window.getByRole('button', { name: 'Invite', exact: true }).click();
  const link = (await admin.window.locator('[data-secret]').innerText()).trim();
  expect(link).toMatch(/\/sign-in\/#fi_\w{40}$/);
  await admin.window.keyboard.press('Escape');

  const ada = await visit(browser, farthing);
  const asked: string[] = [];
  ada.window.on('request', (request) => asked.push(`${request.url()} ${request.headers().referer ?? ''}`));
  await ada.window.goto(link);
  // Whoever holds the link sees whom it is for; it is not used before the button is pressed.
  await ada.window.getByText(`This link signs you in once, on this device, as Ada (${email}).`).waitFor();
  await ada.window.reload();
  await ada.window.goto(link);
  // A link needs no key.
  expect(await ada.window.getByText('Where do I find one?').count()).toBe(0);
  await ada.window.getByRole('button', { name: 'Sign in' }).click();
  await ada.window.getByText('Ada', { exact: true }).waitFor();
  const secret = link.split('#')[1] ?? '';
  expect(ada.window.url()).not.toContain(secret);
  expect(asked.filter((one) => one.includes(secret.slice(3)) && !one.startsWith(link.split('#')[0] ?? ''))).toEqual([]);
  await ada.window.goBack().catch(() => undefined);
  expect(ada.window.url()).not.toContain(secret);

  await ada.open('/prices');
  const menu = ada.window.getByRole('navigation', { name: 'Pages' });
  expect(await menu.getByRole('link', { name: 'Settings' }).count()).toBe(1);
  expect(await menu.getByRole('link', { name: 'People' }).count()).toBe(0);
  const cookies = await ada.context.cookies();
  expect(cookies).toMatchObject([{ name: 'farthing_session', httpOnly: true, sameSite: 'Strict' }]);
  await ada.window.getByRole('button', { name: 'Add a price' }).click();
  const form = ada.window.getByRole('dialog');
  await form.getByLabel('Model').fill('house-llm');
  await form
    .getByLabel(/^Input/)
    .first()
    .fill('1');
  await form
    .getByLabel(/^Output/)
    .first()
    .fill('2');
  await form.getByRole('button', { name: 'Add it' }).click();
  await ada.window.getByText('house-llm').first().waitFor();

  await admin.open(`/people?project=${project.id}`);
  expect((await admin.download('CSV', 'Members')).map((line) => line.split(',').slice(0, 2))).toEqual([
    [`Ada ${email}`, 'editor'],
  ]);
  await admin.window.getByLabel('Filter the rows').fill('no such member');
  await admin.window.getByText('No row has this text').waitFor();
  await admin.window.getByLabel('Filter the rows').fill('ada');
  await admin.window.getByLabel(`Role of ${email}`).selectOption('viewer');
  await ada.open('/prices');
  await expect
    .poll(async () => {
      await ada.open('/prices');
      return await ada.window.getByRole('button', { name: 'Add a price' }).count();
    })
    .toBe(0);
  const remove = admin.window.getByRole('button', { name: `Remove ${email}` });
  await admin.window.setViewportSize({ width: 390, height: 844 });
  for (const control of [
    remove,
    admin.window.getByLabel(`Role of ${email}`),
    admin.window.getByLabel(/^New link for/),
  ]) {
    // The list follows the narrower window a moment later.
    await expect
      .poll(async () => {
        const { x = 0, width = 1_000 } = (await control.boundingBox()) ?? {};
        return [x >= 0, x + width <= 390];
      })
      .toEqual([true, true]);
  }
  await remove.click();
  await remove.click();
  await admin.window.getByText('No member yet').waitFor();
  await ada.window.goto('/prices');
  await ada.window.getByText('Your session has ended.').waitFor();
  expect(admin.faults).toEqual([]);
  expect(ada.faults.filter((fault) => !/status of 40[13]/.test(fault))).toEqual([]);
  await Promise.all([admin.close(), ada.close()]);
});
