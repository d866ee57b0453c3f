// A visitor of the page: a browser window that records faults.
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Request, Page as Window } from 'playwright-core';
import type { Farthing } from '../support/client.ts';
import { poll } from '../support/poll.ts';

export interface Visitor {
  readonly window: Window;
  readonly context: BrowserContext;
  /** Opens a path of the page and waits until its numbers are loaded. */
  open(path: string): Promise<void>;
  /** Opens a path within the page that is open, as a link in it does, in half the processor time. Answers may be up to 20 seconds old. */
  go(path: string): Promise<void>;
  /** Lets the page that is open ask all of it anew, as when its window is shown again after a while: a third of a load. */
  refresh(): Promise<void>;
  /** By the form. */
  signIn(secret: string): Promise<void>;
  /** The large number of a card. */
  figure(label: string): Promise<string>;
  /** All texts of a card below its label. */
  card(label: string): Promise<string[]>;
  /** The lines, without the header, of the file that the first button of this name, on the page or in a card, downloads. */
  download(button: string, card?: string): Promise<string[]>;
  /** The texts of the rows of a table, cell by cell. */
  rows(table: string): Promise<string[][]>;
  /** Errors and warnings of the browser, and requests to other hosts than the service. */
  readonly faults: readonly string[];
  /** For a test that provoked faults on purpose. */
  forgetFaults(): void;
  close(): Promise<void>;
}

export interface VisitorOptions {
  /** An API key or the admin token: signed in without the form, which loads two pages more. */
  readonly as?: string;
  readonly width?: number;
  readonly height?: number;
}

/** The texts of the cells of each row. It runs in the browser. */
const readCells = (rows: readonly { querySelectorAll(cells: string): Iterable<{ readonly innerText: string }> }[]) =>
  rows.map((row) => Array.from(row.querySelectorAll('td'), ({ innerText }) => innerText));

/** For how long the page takes an answer for fresh, in milliseconds. */
const freshMs = 20_000;

export async function visit(
  browser: Browser,
  { url }: Pick<Farthing, 'url'>,
  { as: secret, width = 1_440, height = 900 }: VisitorOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme: 'light',
    // Without animations: axe would judge the colours in the middle of a transition.
    reducedMotion: 'reduce',
    viewport: { width, height },
    acceptDownloads: true,
  });
  if (secret !== undefined) {
    const data = secret.startsWith('fk_') ? { api_key: secret } : { admin_token: secret };
    const answer = await context.request.post('/session/', { data });
    if (!answer.ok()) throw new Error(`POST /session/: ${await answer.text()}`);
    // What the form notes for the page.
    await context.addInitScript(
      "if (location.protocol !== 'about:') localStorage.setItem('farthing-session', 'signed in')",
    );
  }
  const window = await context.newPage();
  window.setDefaultTimeout(60_000);
  const faults: string[] = [];
  window.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${window.url()}: ${message.text()}`);
  });
  window.on('pageerror', (error) => faults.push(`${window.url()}: ${error.message}`));
  // The console tells the status alone.
  window.on('response', (response) => {
    if (response.status() < 500) return;
    void response.text().then(
      (text) => faults.push(`${response.url()}: ${text}`),
      () => faults.push(`${response.url()}: no text`),
    );
  });
  const underWay = new Set<Request>();
  let changedAt = 0;
  const end = (request: Request) => {
    underWay.delete(request);
    changedAt = performance.now();
  };
  window.on('requestfinished', end).on('requestfailed', end);
  window.on('request', (request) => {
    underWay.add(request);
    const asked = request.url();
    if (!asked.startsWith(`${url}/`) && !/^(?:blob|data):/.test(asked)) faults.push(`asked for ${asked}`);
  });
  const settle = async () => {
    await window.locator('main#page h1').first().waitFor();
    await window.waitForLoadState('networkidle');
    const isWaiting = async () => (await window.locator('.animate-pulse').count()) > 0;
    await poll('no loading placeholder is left', { within: 60_000 }, async () =>
      (await isWaiting()) ? undefined : true,
    );
  };
  /** After something that makes the page ask: it may begin a moment later. */
  const settleWithin = async () => {
    await poll('no request is under way', { within: 60_000 }, () =>
      underWay.size === 0 && performance.now() - changedAt >= 500 ? true : undefined,
    );
    await settle();
  };
  const open = async (path: string) => {
    underWay.clear();
    await window.goto(path);
    await settle();
    // A request that a reload has ended is not always told of.
    underWay.clear();
  };
  return {
    window,
    context,
    faults,
    forgetFaults: () => {
      faults.length = 0;
    },
    open,
    go: async (path) => {
      if (!window.url().startsWith(url)) return await open(path);
      changedAt = performance.now();
      await window.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
      await settleWithin();
    },
    refresh: async () => {
      changedAt = performance.now();
      await window.evaluate(`{
        const { now } = Date;
        Date.now = () => now() + ${freshMs};
        window.dispatchEvent(new Event('visibilitychange'));
      }`);
      await settleWithin();
    },
    signIn: async (secret) => {
      await window.goto('/');
      await window.getByLabel('API key or admin token').fill(secret);
      await window.getByRole('button', { name: 'Sign in' }).click();
      await settle();
    },
    figure: async (label) => (await window.locator(`[data-figure="${label}"]`).innerText()).trim(),
    card: async (label) => {
      const card = window.getByRole('region', { name: label, exact: true });
      return (await card.locator('p').allInnerTexts()).slice(1).filter((text) => text.trim() !== '');
    },
    download: async (button, card) => {
      const place = card === undefined ? window : window.getByRole('region', { name: card, exact: true }).first();
      const [file] = await Promise.all([
        window.waitForEvent('download'),
        place.getByRole('button', { name: button }).first().click(),
      ]);
      const text = readFileSync(await file.path(), 'utf8').replace('\uFEFF', '');
      return text.trimEnd().split('\r\n').slice(1);
    },
    rows: async (table) => {
      const rows = window.getByRole('region', { name: table, exact: true }).locator('tbody tr:not([data-gap])');
      await rows.first().waitFor();
      return await rows.evaluateAll(readCells);
    },
    close: () => context.close(),
  };
}
