import { byName } from '../../lib/by-name.ts';
import { parseJson } from '../../lib/json.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { hashAnswerIds } from './hash-answer-ids.ts';

/** Where a report is from, and the ids by which it can be joined to others of its request (D27.6). */
export interface Origin {
  /** A hash of the instrumentation scope's or the gateway's name; '' for events that name none. */
  readonly scope: string;
  /** That name, where it is one word; '' otherwise. */
  readonly emitter: string;
  /** A hash of the resource's attributes: equal for all spans of a process; '' where there is none. */
  readonly process: string;
  /** The ids of its span and of the span around it, in hexadecimal; '' where there is none. */
  readonly trace: string;
  readonly span: string;
  readonly parent: string;
  /** Hashes of the ids of the provider's answer, and of a gateway's own ids of it. */
  readonly answers: readonly string[];
  /** Whether it may be the span of a stream's request, which ended when the stream began. */
  readonly begins: boolean;
  /** Whether it is of a client for which such a span of a framework may have been made. */
  readonly served: boolean;
  /** Whether it tells the usage of such a stream. */
  readonly follows: boolean;
  /** Whether its ids are of an item of the answer, or of a fault's text, which may name another attempt: a different one tells nothing apart. */
  readonly loose: boolean;
  /** Whether its emitter may count a stream's text itself, which is less than the provider counts. */
  readonly estimates: boolean;
  /** Whether its emitter is the provider's own client. */
  readonly client: boolean;
  /** Whether it is a log record that tells of the span around it, which may never be exported. */
  readonly tells: boolean;
}

/** The field of the log that holds an origin, as JSON without what is empty. */
const field = 'origin';

type Fields = Readonly<Record<string, string>>;

const texts = ['scope', 'emitter', 'process', 'trace', 'span', 'parent'] as const;
const flags = ['begins', 'served', 'follows', 'loose', 'estimates', 'client', 'tells'] as const;

const noOrigin: Origin = {
  ...{ scope: '', emitter: '', process: '', trace: '', span: '', parent: '', answers: [] },
  ...byName(flags, () => false),
};

export const hasOrigin = ({ fields }: { readonly fields: Fields }): boolean => fields[field] !== undefined;

/** The origin among the fields of a call; undefined without one. */
export function originOf({ [field]: text }: Fields): Origin | undefined {
  return text === undefined ? undefined : { ...noOrigin, ...(parseJson(text) as Partial<Origin>) };
}

const maxAnswers = 8;
const maxLength = 64;

const textAt = (value: unknown): string =>
  typeof value === 'string' && value.length <= maxLength ? value.toWellFormed() : '';

const addTo = (ids: string[], id: string): void => {
  if (id !== '' && ids.length < maxAnswers && !ids.includes(id)) ids.push(id);
};

/** Adds `origin` as spans and gateways have it, and the id of the answer at `response.id` or `response_id`. */
export function noteOrigin(event: Readonly<Record<string, unknown>>, fields: Record<string, string>): void {
  const sent = isJsonObject(event.origin) ? event.origin : {};
  const named = Array.isArray(sent.answers) ? (sent.answers as readonly unknown[]) : [];
  const response = isJsonObject(event.response) ? event.response.id : undefined;
  const ids: string[] = [];
  for (const id of named) addTo(ids, textAt(id));
  for (const id of hashAnswerIds([response, event.response_id])) addTo(ids, id);
  const span = textAt(sent.span);
  if (ids.length === 0 && span === '') return;
  const origin: Record<string, unknown> = {};
  for (const name of texts) {
    const text = textAt(sent[name]);
    if (text !== '') origin[name] = text;
  }
  if (ids.length > 0) origin.answers = ids;
  for (const name of flags) if (sent[name] === true) origin[name] = true;
  fields[field] = JSON.stringify(origin);
}
