import type { FastifyRequest } from 'fastify';
import { Overload } from '../problem.ts';
import type { App } from './app.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** For whom the request is, once that is known; undefined for anybody. */
    sender: Sender | undefined;
    /** Bytes of the body that are held until the request is answered. */
    heldBytes: number;
  }
}

/** For whom a request is: its project, and the client, API key or hook that sends it. */
export interface Sender {
  readonly project: string;
  readonly caller: string;
}

export interface HeldBodies {
  /** Counts further bytes of a request's body. @throws Overload when there is no room for them */
  readonly hold: (request: FastifyRequest, bytes: number) => void;
  /** Gives back the room of a request whose body is not needed any more. */
  readonly release: (request: FastifyRequest) => void;
}

/**
 * Bounds the memory that the bodies of all requests take together (D3.7), and the share of each project and caller: the
 * bodies of a project take at most as much as is left free, and those of a caller half of that. So however many projects
 * take their shares, there is room for one more. A caller's only body may take what is free: each route bounds it.
 * Requests without a key share one project, in which each address is a caller.
 */
export function boundHeldBodies(app: App, mostBytes: number): HeldBodies {
  let held = 0;
  const shares = new Map<string, number>();
  const add = (share: string, bytes: number) => {
    const left = (shares.get(share) ?? 0) + bytes;
    if (left > 0) shares.set(share, left);
    else shares.delete(share);
  };
  const count = (request: FastifyRequest, bytes: number, of: readonly string[]) => {
    held += bytes;
    request.heldBytes += bytes;
    for (const share of of) add(share, bytes);
  };
  const release = (request: FastifyRequest) => {
    if (request.heldBytes > 0) count(request, -request.heldBytes, sharesOf(request));
  };
  app.decorateRequest('sender', undefined);
  app.decorateRequest('heldBytes', 0);
  app.addHook('preParsing', (request, reply, payload, done) => {
    // `close` comes also when the sender leaves before the answer.
    reply.raw.once('close', () => release(request));
    done(null, payload);
  });
  // An answer that its reader does not read holds no body.
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.heldBytes > 0) {
      release(request);
      request.body = undefined;
    }
    done(null, payload);
  });
  const hold = (request: FastifyRequest, bytes: number) => {
    const own = request.heldBytes;
    const free = mostBytes - held - bytes;
    const of = sharesOf(request);
    const [project, caller] = [shares.get(of[0]) ?? 0, shares.get(of[1]) ?? 0];
    if (held > own && free < 0) throw new Overload('Too much is being sent at once; send this again later.');
    if ((project > own && project + bytes > free) || (caller > own && caller + bytes > free / 2)) {
      throw new Overload('This project or caller sends too much at once; wait for answers, and send this again.');
    }
    count(request, bytes, of);
  };
  return { hold, release };
}

const sharesOf = ({ sender, ip }: FastifyRequest): [project: string, caller: string] =>
  sender === undefined ? ['anybody', `anybody ${ip}`] : [sender.project, `${sender.project} ${sender.caller}`];
