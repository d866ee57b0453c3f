import type { FastifyRequest } from 'fastify';
import { type Fault, Problem } from '../problem.ts';
import type { App } from './app.ts';

/** Node joins repeated headers or drops all but the first, so a proxy could read another one than the service. */
const sentOnce: ReadonlySet<string> = new Set([
  ...['host', 'authorization', 'content-type', 'content-encoding', 'origin'],
  ...['farthing-project', 'farthing-consistency', 'stripe-signature'],
]);

/** What a header must be where it is sent; other values mean nothing here. */
const expected = Object.entries<{ readonly pattern: RegExp; readonly words: string }>({
  // RFC 9112, 3.2: a server must refuse any other.
  host: {
    pattern: /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i,
    words: 'must be a host, with a port or without',
  },
  'farthing-consistency': { pattern: /^(?:strict|relaxed)$/, words: 'must be strict or relaxed' },
});

/** Refuses requests without a host, and with a header that is sent twice or has a value that is not known. */
export function checkHeaders(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const errors = findFaults(request);
    if (errors.length === 0) return done();
    const names = errors.map(({ pointer }) => pointer.slice(1)).join(', ');
    done(new Problem('invalid_request', `Correct these headers and send the request again: ${names}.`, { errors }));
  });
}

function findFaults({ headers, raw }: FastifyRequest): Fault[] {
  const errors: Fault[] = [];
  if (headers.host === undefined && raw.httpVersion === '1.1')
    errors.push({ pointer: '/host', code: 'required', message: 'is required' });
  const seen: string[] = [];
  // Names and values by turns.
  for (let at = 0; at < raw.rawHeaders.length; at += 2) {
    const name = String(raw.rawHeaders[at]).toLowerCase();
    if (!sentOnce.has(name)) continue;
    if (seen.includes(name)) errors.push({ pointer: `/${name}`, code: 'duplicate', message: 'must be sent once' });
    seen.push(name);
  }
  for (const [name, { pattern, words }] of expected) {
    const value = headers[name];
    if (value !== undefined && !pattern.test(String(value)) && !errors.some(({ pointer }) => pointer === `/${name}`))
      errors.push({ pointer: `/${name}`, code: 'invalid_value', message: words });
  }
  return errors;
}
