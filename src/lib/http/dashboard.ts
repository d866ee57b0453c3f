import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { dimensionNames, dimensions } from '../dimensions.ts';
import { Problem } from '../problem.ts';
import type { App } from './app.ts';
import { pageSecurity, takesGzip } from './web-page.ts';

/** The paths that answer with the dashboard. The dashboard's own router decides what `/` and the paths below these names show. */
const dashboardPaths = [
  '/',
  ...[
    ...new Set(dimensionNames.map((name) => dimensions[name].page)),
    ...['calls', 'runs', 'live', 'prices', 'credits', 'waste', 'what-if', 'shared-costs', 'revenue', 'plans'],
    ...['reconciliation', 'closes', 'budgets', 'alerts', 'report', 'connect', 'settings', 'people', 'sign-in'],
  ].flatMap((name) => [`/${name}/`, `/${name}/*`]),
];

/** The dashboard has no inline script or style. */
const security = {
  ...pageSecurity({ styles: "'self'", images: "'self' data: blob:", fonts: "'self'" }),
  'cross-origin-opener-policy': 'same-origin',
};

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** The files of the dashboard by their paths, `index.html` among them. */
export type DashboardFiles = ReadonlyMap<string, Buffer>;

interface Served {
  readonly plain: Buffer;
  readonly gzipped: Buffer | undefined;
  readonly mediaType: string;
  readonly etag: string;
}

/**
 * Serves the dashboard: `index.html` for each of its paths, which browsers revalidate on every load, and its parts below
 * `/assets/`. Browsers cache those for a year, because their names change with their content.
 */
export function registerDashboard(
  app: App,
  { openFiles }: { readonly openFiles: () => Promise<DashboardFiles> },
): void {
  const config = { access: 'public', isPage: true } as const;
  let opening: Promise<ReadonlyMap<string, Served>> | undefined;
  const openServed = async (): Promise<ReadonlyMap<string, Served>> => {
    opening ??= openFiles().then(prepareAll);
    try {
      return await opening;
    } catch (cause) {
      // The next request retries.
      opening = undefined;
      const detail = 'The page is not built: run npm run build -w dashboard and load it again. The API works.';
      throw new Problem('unavailable', detail, { cause });
    }
  };

  const sendDashboard = async (request: FastifyRequest, reply: FastifyReply) => {
    const page = (await openServed()).get('index.html');
    if (!page) throw new Problem('not_found', 'There is no page here.');
    return await send(request, reply.header('cache-control', 'no-cache'), page);
  };
  for (const url of dashboardPaths) app.get(url, { config, schema: { hide: true } }, sendDashboard);
  // Other paths are refused before, but for a browser: the dashboard says that there is nothing.
  app.setNotFoundHandler(async (request, reply) => await sendDashboard(request, reply.code(404)));
  app.get('/assets/:file', { config, schema: { hide: true } }, async (request, reply) => {
    const { file } = request.params as { readonly file: string };
    const asset = (await openServed()).get(`assets/${file}`);
    if (!asset) throw new Problem('not_found', 'The page has no such file; reload the page.');
    return await send(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), asset);
  });
}

async function send(request: FastifyRequest, reply: FastifyReply, { plain, gzipped, mediaType, etag }: Served) {
  reply.headers({ ...security, etag, vary: 'accept-encoding' }).type(mediaType);
  if (request.headers['if-none-match'] === etag) return await reply.code(304).send();
  if (gzipped && takesGzip(request)) return await reply.header('content-encoding', 'gzip').send(gzipped);
  return await reply.send(plain);
}

async function prepareAll(files: DashboardFiles): Promise<ReadonlyMap<string, Served>> {
  const prepared = Array.from(files, async ([path, plain]) => [path, await prepare(path, plain)] as const);
  return new Map(await Promise.all(prepared));
}

async function prepare(path: string, plain: Buffer): Promise<Served> {
  const extension = path.slice(path.lastIndexOf('.') + 1);
  return {
    plain,
    gzipped: extension === 'woff2' ? undefined : await promisify(gzip)(plain),
    mediaType: mediaTypes[extension] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
  };
}
