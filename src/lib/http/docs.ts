import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Fastify from 'fastify';
import { z } from 'zod';
import type { App } from './app.ts';
import { pageSecurity, takesGzip } from './web-page.ts';

/** Settings of the reference: no fonts, proxies, assistants or telemetry from its vendor. */
const settings = {
  url: '/openapi.json',
  theme: 'default',
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  documentDownloadType: 'json',
  metaData: { title: 'Farthing API' },
};

const escapeAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Farthing API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <script id="api-reference" data-configuration="${escapeAttribute(JSON.stringify(settings))}"></script>
    <script src="/docs/reference.js"></script>
  </body>
</html>
`;

/** The script of the reference sets inline styles. */
const security = pageSecurity({ styles: "'unsafe-inline'", images: "'self' data:", fonts: "'self' data:" });

/** `GET /docs/` (D11.3): the OpenAPI description as pages to read and try, all served by this service. */
export function registerDocs(app: App): void {
  const config = { access: 'public' } as const;
  const tags = ['Operations'];

  app.get('/docs/', {
    config,
    schema: {
      summary: 'This reference',
      description: 'Every route, to read and to try. The page loads nothing from any other host.',
      tags,
      produces: ['text/html'],
      response: { 200: z.string().meta({ description: 'A page.', examples: ['<!doctype html>…'] }) },
    },
    handler: async (_request, reply) =>
      reply.headers(security).type('text/html; charset=utf-8').serializer(String).send(page),
  });

  let script: Promise<Script> | undefined;
  app.get('/docs/reference.js', {
    config,
    schema: {
      summary: 'The script of this reference',
      description: 'Read once, and kept by browsers for an hour.',
      tags,
      produces: ['text/javascript'],
      response: {
        200: z.unknown().meta({ type: 'string', description: 'A script.', examples: ['(function () {…})()'] }),
      },
    },
    handler: async (request, reply) => {
      script ??= loadScript();
      const { plain, compressed } = await script;
      const isSentCompressed = takesGzip(request);
      return reply
        .headers({ ...security, 'cache-control': 'public, max-age=3600', vary: 'accept-encoding' })
        .headers(isSentCompressed ? { 'content-encoding': 'gzip' } : {})
        .type('text/javascript; charset=utf-8')
        .send(isSentCompressed ? compressed : plain);
    },
  });
}

/** Every answer is of the same bytes, so readers that stall hold no copies. */
interface Script {
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

/** The script as its package serves it: 4 MB, read at the first request and kept. */
async function loadScript(): Promise<Script> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const source = Fastify();
  await source.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { rawPayload: plain } = await source.inject('/docs/js/scalar.js');
  await source.close();
  return { plain, compressed: await promisify(gzip)(plain) };
}
