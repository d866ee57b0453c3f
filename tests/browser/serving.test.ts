import { expect, test } from 'vitest';
import { sharedFarthing } from '../support/client.ts';
import { expectProblem } from '../support/problem.ts';

const farthing = sharedFarthing();

/** The limit of the gzipped size of the scripts that every page begins with. */
const mostAtStart = 120 * 1_024;
/** The limits of the gzipped size of the scripts before the first chart, and of all scripts, over all pages together. */
const [mostFirst, mostScript] = [300 * 1_024, 500 * 1_024];

test.each(['/', '/customers', '/customers/a%2Fb', '/runs/x/', '/settings/'])(
  '%s is the page: browsers revalidate it, and it may load nothing from other hosts',
  async (path) => {
    const { status, headers, text } = await farthing.send('GET', path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(text).not.toMatch(/(?:src|href)="(?!\/assets\/)/);
  },
);

test('assets of the page are cached for a year and sent compressed', async () => {
  const { text } = await farthing.send('GET', '/');
  const [, script = ''] = /<script[^>]*src="([^"]+)"/.exec(text) ?? [];
  const sent = await farthing.send('GET', script, { headers: { 'accept-encoding': 'gzip' } });
  expect(sent.status).toBe(200);
  expect(sent.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(sent.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(sent.headers.get('content-encoding')).toBe('gzip');
  const again = await farthing.send('GET', script, { headers: { 'if-none-match': sent.headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);

  const sizeOf = async (path: string) =>
    Number(
      (await farthing.send('HEAD', path, { headers: { 'accept-encoding': 'gzip' } })).headers.get('content-length'),
    );
  // Follows the scripts that the first one names, and so on. ECharts loads with the first chart.
  const sizes = new Map<string, number>();
  const follow = async (path: string): Promise<void> => {
    if (sizes.has(path)) return;
    sizes.set(path, await sizeOf(path));
    const names = (await farthing.send('GET', path)).text.match(/[\w.-]+\.js(?=["'`])/g) ?? [];
    for (const name of names) if (/-[\w-]{8}\.js$/.test(name)) await follow(`/assets/${name}`);
  };
  await follow(script);
  const sum = (paths: string[]) => paths.reduce((bytes, path) => bytes + (sizes.get(path) ?? 0), 0);
  const all = [...sizes.keys()];
  expect(all.length).toBeGreaterThan(12);
  expect(all.filter((path) => path.includes('/echarts-'))).toHaveLength(1);
  expect(sum(all.filter((path) => !path.includes('/echarts-')))).toBeLessThan(mostFirst);
  expect(sum(all)).toBeLessThan(mostScript);
});

test('D25: what loads before any page is small', async () => {
  const { text } = await farthing.send('GET', '/');
  const scripts = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
  expect(scripts.length).toBeGreaterThan(0);
  const sizes = await Promise.all(
    scripts.map(async (path) => {
      const { headers } = await farthing.send('HEAD', path, { headers: { 'accept-encoding': 'gzip' } });
      return Number(headers.get('content-length'));
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(mostAtStart);
});

test('a path that is not of the page is answered with a problem', async () => {
  for (const path of ['/api/nothing/', '/nothing', '/assets/nothing.js', '/assets/..%2findex.html', '/index.html']) {
    expectProblem(await farthing.send('GET', path), 404, 'not_found');
  }
  expectProblem(await farthing.send('POST', '/customers', { body: {} }), 405, 'method_not_allowed');
  const headers = { accept: 'text/html,*/*;q=0.8' };
  const nowhere = await farthing.send('GET', '/nowhere', { headers });
  expect([nowhere.status, nowhere.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expectProblem(await farthing.send('GET', '/api/nothing/', { headers }), 404, 'not_found');
});
