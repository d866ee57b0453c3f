/** Why a request can be refused (D11.1). `http/problem-table.ts` gives each code its status. */
export type ProblemCode =
  | 'invalid_request'
  | 'invalid_json'
  | 'invalid_body'
  | 'invalid_query'
  | 'invalid_cursor'
  | 'wrong_project_type'
  | 'beyond_retention'
  | 'answer_too_large'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'headers_too_large'
  | 'unavailable'
  | 'catching_up'
  | 'internal';

/** The closed list of `errors[].code`: what is wrong with one field. */
export type FaultCode =
  | 'required'
  | 'invalid_type'
  | 'invalid_value'
  | 'out_of_range'
  | 'unknown_field'
  | 'too_long'
  | 'too_many'
  | 'too_large'
  | 'empty'
  | 'duplicate'
  | 'invalid_json';

/** One fault of a body. `pointer` is a JSON Pointer (RFC 6901) to the field, `''` for the whole body. */
export interface Fault {
  readonly pointer: string;
  readonly code: FaultCode;
  readonly message: string;
}

export interface ProblemOptions {
  readonly errors?: readonly Fault[];
  /** Further members of the problem object, such as `conflicts`. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** How every refusal of an unknown project begins. */
export const noProject = 'There is no project with this id';
/** How the `detail` of a problem ends that says nothing beside its `errors`. */
export const correctErrors = 'correct what errors lists and send it again.';

/** A refusal whose `detail` tells the caller what to do. The cause is never sent. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly Fault[] | undefined;
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(`${code}: ${detail}`, { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.errors = options.errors;
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }
}

/** A refusal because of too much load (D3.7). There may be thousands, so they are counted and not logged one by one. */
export class Overload extends Problem {
  constructor(detail: string) {
    super('unavailable', detail, { headers: { 'retry-after': '1' } });
  }
}

/** A refusal of an answer that would take too much memory, whenever it is asked for: `detail` says what to ask instead. */
export class AnswerTooLarge extends Problem {
  constructor(detail: string) {
    super('answer_too_large', detail);
  }
}

/** Light work would read more than it may: its answer is worked out again in a heavy turn. */
export class NeedsHeavyTurn extends AnswerTooLarge {}

/** The JSON Pointer (RFC 6901) of a path. */
export const toPointer = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
