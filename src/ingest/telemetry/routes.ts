import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { App } from '../../lib/http/app.ts';
import { toProblem } from '../../lib/http/problem-reply.ts';
import { RefusalLog } from '../../lib/http/refusal-log.ts';
import { Problem } from '../../lib/problem.ts';
import type { Slices } from '../../lib/slices.ts';
import { admitClients } from '../intake/admission.ts';
import type { ParseQueue } from '../intake/parse-queue.ts';
import type { IntakeOptions } from '../intake/routes.ts';
import { checkJson, decodeJson } from './otlp/decode-json.ts';
import { checkProtobuf, decodeProtobuf } from './otlp/decode-protobuf.ts';
import { type Encoding, encodeResponse, mediaTypes, type RejectedName } from './otlp/encode.ts';
import { type DecodeOptions, NotOtlp, type SentRecord } from './otlp/records.ts';
import { encodingOf, sendStatus } from './status-reply.ts';
import { isTelling } from './tables.ts';
import { type EventsOptions, eventsOfLogs, eventsOfSpans, type TelemetryEvents, TooManyCalls } from './to-events.ts';

/** A signal of OTLP that calls are read from. */
interface Signal {
  readonly path: 'traces' | 'logs';
  readonly rejectedName: RejectedName;
  readonly summary: string;
  readonly description: string;
  readonly example: Readonly<Record<string, unknown>>;
  readonly toEvents: (body: Buffer, encoding: Encoding, options: EventsOptions) => Slices<TelemetryEvents>;
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const whole = (key: string, count: number) => ({ key, value: { intValue: String(count) } });

const exampleSpan = {
  traceId: '5b8efff798038103d269b633813fc60c',
  spanId: 'eee19b7ec3c1b174',
  name: 'chat gpt-4o',
  startTimeUnixNano: '1764000000000000000',
  endTimeUnixNano: '1764000000840000000',
  attributes: [
    text('gen_ai.operation.name', 'chat'),
    text('gen_ai.provider.name', 'openai'),
    text('gen_ai.response.model', 'gpt-4o-2024-08-06'),
    whole('gen_ai.usage.input_tokens', 412),
    whole('gen_ai.usage.output_tokens', 87),
    text('farthing.customer', 'acme'),
  ],
};
const exampleRecord = {
  timeUnixNano: '1764000000840000000',
  body: { stringValue: 'claude_code.api_request' },
  attributes: [
    text('session.id', '5f2c'),
    text('model', 'claude-sonnet-4-5-20250929'),
    whole('input_tokens', 412),
    whole('output_tokens', 87),
  ],
};

const sameAnswer =
  'Protobuf or JSON, also compressed with gzip. Answered once the calls are durable, in the encoding of the request; ' +
  '`partialSuccess` says what could not be read.';

const decode = (body: Buffer, encoding: Encoding, options: DecodeOptions): Slices<SentRecord[]> =>
  encoding === 'json' ? decodeJson(body, options) : decodeProtobuf(body, options);

const traces: Signal = {
  path: 'traces',
  rejectedName: 'rejectedSpans',
  summary: 'Post OpenTelemetry spans',
  description: `Spans of requests to a model become calls; other spans are not stored. ${sameAnswer}`,
  example: { resourceSpans: [{ scopeSpans: [{ spans: [exampleSpan] }] }] },
  *toEvents(body, encoding, options) {
    return yield* eventsOfSpans(yield* decode(body, encoding, { record: 'span', isTelling }), options);
  },
};

const signals: readonly Signal[] = [
  traces,
  {
    path: 'logs',
    rejectedName: 'rejectedLogRecords',
    summary: 'Post OpenTelemetry log records',
    description:
      'Log records of requests to a model by Claude Code, Codex CLI and Gemini CLI become calls; others are not stored. ' +
      sameAnswer,
    example: { resourceLogs: [{ scopeLogs: [{ logRecords: [exampleRecord] }] }] },
    *toEvents(body, encoding, options) {
      return yield* eventsOfLogs(yield* decode(body, encoding, { record: 'logRecord' }), options);
    },
  },
];

const params = z.object({
  client_id: z
    .string()
    .describe('The id of the client that posts.')
    .meta({ examples: ['5045c1bc-35bb-4b21-9000-5e51e7ed8e36'] }),
});

const statusSchema = z.object({ code: z.number().int(), message: z.string() });

/** An answer in the encoding of its request. */
const inBoth = (description: string, schema: z.ZodType, message: string) => ({
  description,
  content: {
    [mediaTypes.json]: { schema },
    [mediaTypes.protobuf]: {
      schema: z.unknown().meta({ type: 'string', description: `${message}, in protobuf.`, examples: [''] }),
    },
  },
});

/** Every refusal is a `google.rpc.Status`. */
const refusal = (description: string) => inBoth(description, statusSchema, 'A google.rpc.Status');
const refusals = {
  400: refusal('The body is not what its Content-Type says, or has too many calls. Nothing was stored.'),
  401: refusal('The secret is not valid for this client.'),
  408: refusal('The body came too slowly.'),
  413: refusal('The request is too large.'),
  415: refusal('The media type is not supported.'),
  429: refusal('The client posts too often; `Retry-After` has the seconds to wait.'),
  500: refusal('A fault of the service.'),
  503: refusal('The service cannot store this now; `Retry-After` has the seconds to wait.'),
};

const describeRoute = (description: string, answer: z.ZodType) => ({
  params,
  tags: ['Intake'],
  consumes: Object.values(mediaTypes),
  response: { 200: inBoth(description, answer, 'An Export…ServiceResponse'), ...refusals },
});

/** `POST <prefix>/<client_id>/v1/traces`, `/v1/logs`, `/v1/metrics` (D14.1), and Langfuse's SDKs' path. */
export function registerTelemetry(app: App, prefix: string, options: IntakeOptions): void {
  app.register(async (routes: App) => {
    const refusalLog = new RefusalLog(app.log);
    routes.setErrorHandler((error, request, reply) =>
      sendStatus(request, reply, toProblem(error, request.log, refusalLog)),
    );
    routes.removeAllContentTypeParsers();
    const parser = async (request: FastifyRequest, payload: Readable): Promise<Buffer> =>
      await app.readBody(request, payload, {
        maxBytes: options.limits.maxRequestBytes,
        encoding: request.headers['content-encoding'],
      });
    routes.addContentTypeParser([...Object.values(mediaTypes), 'application/protobuf'], parser);
    routes.addContentTypeParser('*', async () => {
      throw new Problem('unsupported_media_type', 'Send application/x-protobuf or application/json.');
    });
    await admitClients(routes, { ...options, takesBasic: true });
    for (const signal of signals) registerSignal(routes, `${prefix}/:client_id/v1/${signal.path}/`, signal, options);
    registerSignal(routes, langfusePath, traces, options);
    registerMetrics(routes, prefix, options);
  });
}

const uncheckedBody = () => (value: unknown) => ({ value });

/** Where the SDKs of Langfuse post, with the client's id as public key and its secret as secret key. */
const langfusePath = '/api/public/otel/v1/traces/';

function registerSignal(routes: App, path: string, signal: Signal, options: IntakeOptions): void {
  const isAlias = path === langfusePath;
  const { rejectedName, summary, description, example, toEvents } = signal;
  const answer = z
    .object({
      partialSuccess: z
        .object({ [rejectedName]: z.string(), errorMessage: z.string() })
        .optional()
        .describe('What could not be read; left out if all was read.'),
    })
    .meta({ examples: [{}] });
  routes.post(
    path,
    {
      config: { access: 'client', isAlias },
      validatorCompiler: uncheckedBody,
      schema: {
        summary,
        description,
        ...describeRoute('The calls are durable.', answer),
        ...(isAlias && { params: z.object({}), hide: true }),
        body: z.looseObject({}).meta({ examples: [example] }),
      },
    },
    async (request, reply) => {
      const { partial } = await store(request, toEvents, options);
      return sendAnswer(reply, encodingOf(request), rejectedName, partial);
    },
  );
}

/** Stores calls as the intake stores events: in order, validated, and durable before the answer. */
async function store(
  request: FastifyRequest,
  toEvents: Signal['toEvents'],
  { projects, queue, buffer, limits }: IntakeOptions,
): Promise<TelemetryEvents> {
  const { intakeClient } = request;
  if (!intakeClient) throw new Error('The intake was reached without a client');
  const keepsContent = (await projects.find(intakeClient.projectId))?.keepContent ?? false;
  const { receivedAtMs, ...made } = await parseInTurn(request, queue, function* (body, encoding) {
    const receivedAtMs = buffer.receivedAt();
    const options = { ...intakeClient, receivedAtMs, limits, keepsContent };
    return { receivedAtMs, ...(yield* toEvents(body, encoding, options)) };
  });
  await buffer.store(made.events, receivedAtMs);
  return made;
}

/** Parses the body of a request when its turn comes. @throws Problem if it is not OTLP */
async function parseInTurn<Parsed>(
  request: FastifyRequest,
  queue: ParseQueue,
  parse: (body: Buffer, encoding: Encoding) => Slices<Parsed>,
): Promise<Parsed> {
  const { body, comingBody, intakeClient } = request;
  if (!(body instanceof Buffer)) {
    throw new Problem('unsupported_media_type', `Send ${mediaTypes.protobuf} or ${mediaTypes.json}.`);
  }
  try {
    return await queue.run(
      intakeClient?.projectId ?? '',
      body.length,
      () => parse(body, encodingOf(request)),
      comingBody,
    );
  } catch (error) {
    if (!(error instanceof NotOtlp || error instanceof TooManyCalls)) throw error;
    throw new Problem('invalid_body', `${error.message} Nothing was stored.`, { cause: error });
  }
}

/** Metrics are accepted and dropped, so that an exporter of all three signals reports no errors. */
function registerMetrics(routes: App, prefix: string, { queue }: IntakeOptions): void {
  routes.post(
    `${prefix}/:client_id/v1/metrics/`,
    {
      config: { access: 'client' },
      validatorCompiler: uncheckedBody,
      schema: {
        summary: 'Post OpenTelemetry metrics',
        description: 'Answered without storing anything, because metrics describe no single call.',
        ...describeRoute('Nothing was stored.', z.object({}).meta({ examples: [{}] })),
        body: z.looseObject({}).meta({ examples: [{ resourceMetrics: [] }] }),
      },
    },
    async (request, reply) => {
      await parseInTurn(request, queue, (body, encoding) =>
        encoding === 'json' ? checkJson(body) : checkProtobuf(body),
      );
      return sendAnswer(reply, encodingOf(request), 'rejectedDataPoints', undefined);
    },
  );
}

const sendAnswer = (
  reply: FastifyReply,
  encoding: Encoding,
  name: RejectedName,
  partial: TelemetryEvents['partial'],
): FastifyReply => reply.type(mediaTypes[encoding]).send(encodeResponse(encoding, name, partial));
