import { activeSpan } from './active-span.ts';
import { AnswerUsage } from './answer-usage.ts';
import { type Attribution, clip, type Tags } from './attribution.ts';
import { makeEventId } from './event-id.ts';
import { isObject, type Json } from './json.ts';

/** What is known of a call before it is made. */
export interface CallFields extends Attribution {
  /** The beginning of the event's type; `call` by default. */
  type?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  /** Further fields of the event, such as `service_tier`, `web_searches` or `audio_seconds`. */
  [field: string]: unknown;
}

/** Where events go. */
export interface Sink {
  /** Sends an event; `undefined` values are left out. */
  send(event: Json): void;
  begin(call: Call): void;
  end(call: Call): void;
}

interface Request {
  readonly type: string;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly tags: Tags;
  /** Further fields of both events. */
  readonly fields?: Json;
}

const maxMessage = 500;

/** One call to a model: an event before it, and exactly one after it. */
export class Call {
  readonly answer = new AnswerUsage();
  /** The span within which the request is made. */
  within = activeSpan();
  readonly #sink: Sink;
  readonly #request: Request;
  readonly #eventId = makeEventId();
  readonly #startedAt = performance.now();
  #hasEnded = false;

  constructor(sink: Sink, request: Request) {
    this.#sink = sink;
    this.#request = request;
    sink.begin(this);
    this.#send('before', {});
  }

  /** The call has been answered; `aborted` if its answer was not read to the end. */
  end(aborted = false): void {
    const { failure, tells } = this.answer;
    if (failure !== undefined) this.#finish('error', describe(failure, aborted));
    else this.#finish('after', aborted ? { aborted } : { usage_not_reported: !tells || undefined });
  }

  /** The call has failed; what it has used so far counts. */
  fail(error: unknown, isStream = false): void {
    this.#finish('error', describe(error, isStream));
  }

  #finish(phase: 'after' | 'error', fields: Json): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#send(phase, {
      elapsed_ms: Math.round((performance.now() - this.#startedAt) * 1000) / 1000,
      origin: this.within && { ...this.within, span: this.#eventId },
      ...this.answer.toFields(fields.aborted === true),
      ...fields,
    });
    this.#sink.end(this);
  }

  #send(phase: string, fields: Json): void {
    const { type, model, provider, tags, fields: further } = this.#request;
    this.#sink.send({
      ...further,
      event_id: this.#eventId,
      event_type: `${clip(type, 190)}.${phase}`,
      timestamp: new Date().toISOString(),
      model: clip(this.answer.model ?? model ?? '') || undefined,
      provider: clip(provider ?? '') || undefined,
      tags,
      ...fields,
    });
  }
}

/** The type and message of an error. Messages are cut, because some repeat the request. */
function describe(error: unknown, aborted: boolean): Json {
  const { name, message, code, status } = isObject(error) ? error : {};
  const className = isObject(error) ? error.constructor?.name : typeof error;
  const type = typeof name === 'string' && name !== 'Error' ? name : className;
  return {
    error_type: type === 'Object' ? code : type,
    error_message: clip(String(message ?? error), maxMessage),
    status: typeof status === 'number' ? status : undefined,
    aborted: aborted || /abort/i.test(String(type)) || undefined,
  };
}
