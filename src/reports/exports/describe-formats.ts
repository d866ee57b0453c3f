import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import type { PageList } from '../../lib/http/page-envelope.ts';
import { toJsonLine } from '../../lib/stored-json.ts';
import { type Asked, columnsOf } from './columns.ts';
import { csvOf } from './csv.ts';
import { type FormatName, formatNames, formats } from './formats.ts';

const formatField = z
  .enum(formatNames)
  .optional()
  .describe('All rows in this format, instead of a page of JSON. Then `limit` and `cursor` must be left out.');

/** An answer with several media types, in the form that the framework expects. */
interface Answer {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>>;
}

/** Adds to a route's schema the parameter `format`, and the media types that it doesn't describe itself. */
export function describeFormats({ schema = {}, config }: RouteOptions, list: PageList) {
  const { querystring, body, response } = schema;
  const answer = toAnswer(Object(response)[200]);
  const rows = examplesOf(answer.content['application/json']?.schema).flatMap((page) => Object(page)[list.name]);
  const asked: Asked = {
    fields: Object(examplesOf(body)[0]),
    names: Object.fromEntries(Object.keys(config?.namesOf ?? {}).map((field) => [field, namesIn(rows, field)])),
  };
  const added = formatNames
    .filter((name) => !Object.hasOwn(answer.content, formats[name].mediaType))
    .map((name) => ({ ...formats[name], example: exampleOf(name, rows, { list, asked }) }))
    .map(({ mediaType, about, example }) => [
      mediaType,
      { schema: z.string().meta({ description: about, examples: [example] }) },
    ]);
  return {
    ...schema,
    querystring: withFormat(querystring, formatField),
    response: { ...Object(response), 200: { ...answer, content: { ...answer.content, ...Object.fromEntries(added) } } },
  };
}

/** The schema of the route that answers nothing but the formats. */
export function describeFile(route: RouteOptions, list: PageList) {
  const { response, ...schema } = describeFormats(route, list);
  const { 'application/json': _json, ...content } = response[200].content;
  const about = Object(schema) as { readonly summary?: string };
  return {
    ...schema,
    summary: `${about.summary ?? ''}, as a file`,
    querystring: withFormat(
      route.schema?.querystring,
      z.enum(formatNames).optional().describe('The format of the file; default: csv.'),
    ),
    response: { ...response, 200: { ...response[200], description: 'A file with all rows.', content } },
  };
}

const withFormat = (querystring: unknown, format: z.ZodType) =>
  querystring instanceof z.ZodObject ? querystring.safeExtend({ format }) : z.strictObject({ format });

const toAnswer = (answer: unknown): Answer =>
  answer instanceof z.ZodType
    ? { description: answer.description ?? '', content: { 'application/json': { schema: answer } } }
    : (answer as Answer);

function examplesOf(schema: unknown): readonly unknown[] {
  const examples: unknown = schema instanceof z.ZodType ? schema.meta()?.examples : undefined;
  return Array.isArray(examples) ? examples : [];
}

const namesIn = (rows: readonly unknown[], field: string): string[] =>
  rows.flatMap((row) => Object.keys(Object(Object(row)[field])));

/** Example rows in a format. For a binary format, the example shows how a file begins and ends. */
function exampleOf(
  name: FormatName,
  rows: readonly unknown[],
  { list, asked }: { readonly list: PageList; readonly asked: Asked },
): string {
  switch (name) {
    case 'csv':
      return csvOf(rows, columnsOf(list.row, asked));
    case 'ndjson':
      return rows.map((row) => `${toJsonLine(row)}\n`).join('');
    case 'parquet':
      return 'PAR1…PAR1';
  }
}
