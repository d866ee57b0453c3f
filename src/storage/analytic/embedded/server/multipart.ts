import { badRequest } from './exception.ts';

const HEADER_END = Buffer.from('\r\n\r\n');
const BOUNDARY = /^multipart\/form-data\s*;\s*(?:.*;\s*)?boundary=(?:"([^"]+)"|([^\s;"]+))/i;
const FIELD_NAME = /^content-disposition:\s*form-data\s*;(?:[^\r\n]*;)?\s*name="([^"\r\n]*)"/im;

/** The boundary in a Content-Type header, or undefined if the body isn't multipart/form-data. */
export function multipartBoundary(contentType: string | undefined): string | undefined {
  const match = BOUNDARY.exec(contentType ?? '');
  return match?.[1] ?? match?.[2];
}

/** The text fields of a multipart/form-data body, in one pass over it. Files (external tables) are refused. */
export function parseMultipart(body: Buffer, boundary: string): Map<string, string> {
  const fields = new Map<string, string>();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter has no line break in front of it.
  let position = delimiter.length - 2;
  if (!body.subarray(0, position).equals(delimiter.subarray(2))) throw badRequest('Malformed multipart body');
  while (body.toString('latin1', position, position + 2) !== '--') {
    const headerEnd = body.indexOf(HEADER_END, position);
    const valueEnd = headerEnd === -1 ? -1 : body.indexOf(delimiter, headerEnd + 2);
    if (valueEnd === -1) throw badRequest('Malformed multipart body: a part has no end');
    const header = body.toString('utf8', position, headerEnd);
    const name = FIELD_NAME.exec(header)?.[1];
    if (name === undefined) throw badRequest('Malformed multipart body: a part has no name');
    if (/;\s*filename=/i.test(header)) throw badRequest('External tables are not supported');
    fields.set(name, body.toString('utf8', headerEnd + HEADER_END.length, valueEnd));
    position = valueEnd + delimiter.length;
  }
  return fields;
}
