import { isObject, textAt } from '../json.ts';

/** One fault of a request, and where it is. */
export interface Fault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** A question that the service refused, with the fields of `application/problem+json`. */
export class FarthingError extends Error {
  override readonly name = 'FarthingError';
  readonly status: number;
  /** The service's own code, such as `invalid_body` or `catching_up`. */
  readonly code: string;
  readonly requestId: string | undefined;
  readonly errors: readonly Fault[];

  constructor(status: number, body: unknown) {
    super(textAt(body, 'detail') ?? `the service answered ${status}`);
    this.status = status;
    this.code = textAt(body, 'code') ?? 'unknown';
    this.requestId = textAt(body, 'request_id');
    this.errors = isObject(body) && Array.isArray(body.errors) ? body.errors : [];
  }
}
