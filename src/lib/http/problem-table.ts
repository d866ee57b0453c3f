import type { ProblemCode } from '../problem.ts';

/** The status and title of every problem (D11.2). Nothing else maps a code to a status. */
export const problemTable: Readonly<Record<ProblemCode, { readonly status: number; readonly title: string }>> = {
  invalid_request: { status: 400, title: 'The request line or a header is not valid' },
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_body: { status: 400, title: 'The body is not valid' },
  invalid_query: { status: 400, title: 'The query string is not valid' },
  invalid_cursor: { status: 400, title: 'The cursor is not valid' },
  wrong_project_type: { status: 400, title: 'This route is not for this type of project' },
  beyond_retention: { status: 400, title: 'The calls and events of these days are deleted' },
  answer_too_large: { status: 400, title: 'The answer would be too large' },
  unauthenticated: { status: 401, title: 'Authentication is needed' },
  forbidden: { status: 403, title: 'The caller may not do this' },
  not_found: { status: 404, title: 'The path names nothing that exists' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  request_timeout: { status: 408, title: 'The request took too long' },
  conflict: { status: 409, title: 'The request conflicts with what is stored' },
  payload_too_large: { status: 413, title: 'The request is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something went wrong here' },
  unavailable: { status: 503, title: 'The service cannot answer now' },
  catching_up: { status: 503, title: 'The answer would not be up to date yet' },
};
