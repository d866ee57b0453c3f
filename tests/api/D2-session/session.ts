// The browser's part in a session: it sends the cookie and the Origin.
import { expect } from 'vitest';
import { type Answer, expectStatus, type Farthing, type SendOptions } from '../../support/client.ts';

export interface Browser {
  cookie: string;
  /** Sends a request as a page of the service does. */
  send: (method: string, path: string, options?: SendOptions) => Promise<Answer>;
}

export async function signIn(farthing: Farthing, body: unknown): Promise<Browser> {
  const answer = await farthing.send('POST', '/session/', { body });
  expectStatus(answer, 200);
  const cookie = cookieOf(answer).split(';')[0] ?? '';
  expect(cookie).toMatch(/^farthing_session=.{43}$/);
  return {
    cookie,
    send: (method, path, options = {}) =>
      farthing.send(method, path, {
        ...options,
        headers: { cookie, ...(method !== 'GET' && { origin: farthing.url }), ...options.headers },
      }),
  };
}

export const cookieOf = (answer: Answer): string => answer.headers.get('set-cookie') ?? '';
