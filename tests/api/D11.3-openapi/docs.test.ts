import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test.each(['/docs', '/docs/'])(
  'D11.3: GET %s is a page that needs no key and may load nothing from other hosts',
  async (path) => {
    const answer = await farthing.send('GET', path);
    expectStatus(answer, 200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = Object.fromEntries(
      (answer.headers.get('content-security-policy') ?? '').split('; ').map((part) => {
        const [directive = '', ...sources] = part.split(' ');
        return [directive, sources.join(' ')];
      }),
    );
    expect(policy).toMatchObject({ 'default-src': "'none'", 'script-src': "'self'", 'connect-src': "'self'" });
    expect(Object.values(policy).join(' ')).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
    expect(answer.text).not.toMatch(/https?:\/\//);
  },
);

test('D11.3: the scripts of the page come from the service, and the page reads the OpenAPI document', async () => {
  const { text } = await farthing.send('GET', '/docs/');
  const sources = [...text.matchAll(/\bsrc="([^"]+)"/g)].map(([, source = '']) => source);
  expect(sources).toEqual(['/docs/reference.js']);
  expect(text).toContain('&quot;url&quot;:&quot;/openapi.json&quot;');
  const inline = [...text.matchAll(/<script[^>]*>([^<]*)<\/script>/g)].map(([, code = '']) => code.trim());
  expect(inline.filter((code) => code !== '')).toEqual([]);
  for (const encoding of ['gzip', 'identity']) {
    const script = await farthing.send('GET', '/docs/reference.js', { headers: { 'accept-encoding': encoding } });
    expectStatus(script, 200);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null);
    expect(script.text.length).toBeGreaterThan(1_000_000);
    expect(script.text).toContain('createApiReference');
  }
});

test('D11.2: the reference takes only GET, and has no further pages', async () => {
  const posted = await farthing.send('POST', '/docs/', { body: {} });
  expectProblem(posted, 405, 'method_not_allowed');
  expect(posted.headers.get('allow')).toBe('GET, HEAD');
  expectProblem(await farthing.send('GET', '/docs/nothing'), 404, 'not_found');
});
