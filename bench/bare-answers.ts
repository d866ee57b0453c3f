import { createServer } from 'node:http';

/**
 * The least that Node can do for a request: a server that reads nothing of it and answers the bytes of a check of a
 * budget.
 */
const body = Buffer.from(
  '{"allowed": true, "spent": 123.456, "remaining": 999876.544, "resets_at": "2026-01-02T00:00:00Z", "as_of": "2026-01-01T12:00:00.000Z"}',
);
const head = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };
createServer((_request, response) => response.writeHead(200, head).end(body)).listen(
  Number(process.env.PORT),
  '127.0.0.1',
);
