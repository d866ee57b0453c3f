// A stand-in for the service: it keeps what a client posts, and answers as a test wants.
import { Farthing, type FarthingOptions, type Problem } from '../../../packages/sdk/src/index.ts';
import type { Json } from '../../support/client.ts';

export interface StandIn {
  readonly farthing: Farthing;
  /** The events of all requests that were answered with a success. */
  readonly events: Json[];
  readonly problems: Problem[];
  /** How many events each request had. */
  readonly requests: number[];
}

const stored = () => Response.json({ ok: true });

/** Answers the requests one after the other, and all further ones as the last. */
export function standIn(
  options: FarthingOptions = {},
  ...answers: ReadonlyArray<(signal: AbortSignal | null | undefined) => Response | Promise<Response>>
): StandIn {
  const events: Json[] = [];
  const problems: Problem[] = [];
  const requests: number[] = [];
  const post = async (_url: unknown, { body, signal }: RequestInit = {}) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? stored;
    const sent = String(body)
      .split('\n')
      .map((line): Json => JSON.parse(line));
    requests.push(sent.length);
    const response = await answer(signal);
    if (response.ok) events.push(...sent);
    return response;
  };
  const farthing = new Farthing({
    url: 'http://farthing.example',
    clientId: 'c',
    clientSecret: 's',
    delayMs: 0,
    fetch: post,
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  return { farthing, events, problems, requests };
}
