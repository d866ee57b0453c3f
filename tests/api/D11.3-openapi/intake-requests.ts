// A good request to every route that takes events.
import { costEvent } from '../../support/client.ts';
import { postOtlp } from '../../support/otlp/post.ts';
import { callSpan, logs, traces } from '../../support/otlp/records.ts';
import type { Drive } from './world.ts';

export const intake: Record<string, Drive> = {
  'POST /intake/{client_id}/': async ({ project }) => [
    await project.intake({ body: costEvent({ cost: 1 }) }),
    await project.intake({ body: [costEvent({ cost: 1 }), costEvent({ cost: 2 })] }),
    await project.intake({ body: [costEvent({ cost: 1 }), { event_id: 'none' }] }),
    await project.intake({ raw: `${JSON.stringify(costEvent({ cost: 1 }))}\n`, contentType: 'application/x-ndjson' }),
  ],
};

export const telemetry: Record<string, Drive> = {
  'POST /intake/{client_id}/v1/traces/': async ({ project }) => [
    await postOtlp(project, traces([callSpan()])),
    await postOtlp(project, traces([callSpan(), 7])),
  ],
  'POST /intake/{client_id}/v1/logs/': async ({ project }) => [
    await postOtlp(project, logs([])),
    await postOtlp(project, logs([7])),
  ],
  'POST /intake/{client_id}/v1/metrics/': ({ farthing, project }) =>
    farthing.send('POST', `${project.intakePath}v1/metrics`, { token: project.secret, body: { resourceMetrics: [] } }),
};

const openRouter =
  (method: string): Drive =>
  async ({ farthing, project }) => [
    await farthing.send(method, `${project.intakePath}openrouter/`, {
      token: project.secret,
      body: { resourceSpans: [] },
    }),
  ];

export const gateways: Record<string, Drive> = {
  'POST /intake/{client_id}/litellm/': async ({ farthing, project }) => {
    const post = (body: unknown) =>
      farthing.send('POST', `${project.intakePath}litellm/`, { token: project.secret, body });
    return [await post({ id: 'one' }), await post([{ id: 'two' }]), await post([{ id: 'three' }, {}])];
  },
  'POST /intake/{client_id}/openrouter/': openRouter('POST'),
  'PUT /intake/{client_id}/openrouter/': openRouter('PUT'),
};
