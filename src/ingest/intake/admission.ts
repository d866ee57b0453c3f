import rateLimit from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { Clients } from '../../accounts/clients.ts';
import { bearerToken } from '../../lib/http/access.ts';
import type { App } from '../../lib/http/app.ts';
import { Problem } from '../../lib/problem.ts';
import type { IntakeBuffer } from './buffer.ts';
import { isLarge, overload } from './overload.ts';
import type { ComingBody, ParseQueue } from './parse-queue.ts';
import { RateWindows } from './rate-windows.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client that posts; set once its secret is verified. */
    intakeClient: { readonly clientId: string; readonly projectId: string } | undefined;
    /** The body, if it is large and not read yet. */
    comingBody: ComingBody | undefined;
  }
}

export interface AdmissionOptions {
  readonly clients: Pick<Clients, 'authenticate'>;
  readonly buffer: Pick<IntakeBuffer, 'isFull'>;
  /** One for all routes of a port, so that all large bodies wait in one order. */
  readonly queue: ParseQueue;
  /** Requests per second that one client may post; undefined for no limit (D3.7). */
  readonly requestsPerSecond: number | undefined;
  /** Whether `Authorization: Basic` with the client's id and a secret works too (D14.1). */
  readonly takesBasic?: boolean;
}

/** Verifies the client (D3.6) and refuses what can't be taken soon (D3.7), before the body is read. */
export async function admitClients(routes: App, options: AdmissionOptions): Promise<void> {
  const { clients, buffer, queue, requestsPerSecond, takesBasic = false } = options;
  routes.decorateRequest('intakeClient', undefined);
  routes.decorateRequest('comingBody', undefined);
  routes.addHook('onRequest', async (request) => {
    if (takesBasic) decodeScheme(request);
    const basic = takesBasic ? basicCredentials(request) : undefined;
    const { client_id: sentId = basic?.clientId ?? '' } = request.params as { client_id?: string };
    const clientId = sentId.toLowerCase();
    const secret = bearerToken(request) ?? (basic?.clientId === clientId ? basic.secret : '');
    const projectId = await clients.authenticate(clientId, secret);
    if (projectId === undefined) {
      throw new Problem(
        'unauthenticated',
        'Post to /<client_id>/ with Authorization: Bearer <a valid secret of that client>.',
        { headers: { 'www-authenticate': 'Bearer' } },
      );
    }
    request.intakeClient = { clientId, projectId };
    request.sender = { project: projectId, caller: clientId };
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (isLarge(length)) {
      if (queue.isFull(projectId) || buffer.isFull) throw overload;
      request.comingBody = queue.expect(projectId, length);
    }
  });
  if (requestsPerSecond !== undefined) {
    await routes.register(rateLimit, {
      max: requestsPerSecond,
      timeWindow: 1_000,
      store: RateWindows,
      enableDraftSpec: true,
      // After the secret is checked, so that nobody can use up another client's share.
      hook: 'preParsing',
      keyGenerator: (request) => request.intakeClient?.clientId ?? '',
    });
  }
}

/** OTEL_EXPORTER_OTLP_HEADERS are percent-encoded, and Claude Code 2.1 sends them so: `Bearer%20fs_…`. */
function decodeScheme({ headers }: FastifyRequest): void {
  headers.authorization = headers.authorization?.replace(/^(Bearer|Basic)%20/i, '$1 ');
}

/** The client and the secret of `Authorization: Basic …`; undefined if there is none. */
function basicCredentials(request: FastifyRequest): { clientId: string; secret: string } | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [user = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  return { clientId: user.toLowerCase(), secret: secret.join(':') };
}
