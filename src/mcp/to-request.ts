import { type Fault, Problem, toPointer } from '../lib/problem.ts';
import type { Asked } from './asked.ts';
import { type DescribedTool, parametersOf } from './describe.ts';

/** A request to a route of the service. */
export interface RouteRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: Asked;
}

/**
 * The request that answers a question. The route validates its body and its query string; this checks what neither
 * holds: the steps of the path, and names of arguments that a route without a body would not see.
 * @throws Problem `invalid_query`, or `not_found` for a step that no path can have
 */
export function toRequest({ tool, operation, inputSchema }: DescribedTool, asked: Asked): RouteRequest {
  const parameters = parametersOf(operation);
  const inPath = new Set(parameters.filter((one) => one.in === 'path').map(({ name }) => name));
  const hasBody = operation.requestBody !== undefined;
  const faults = [
    ...[...inPath].flatMap((name) => (asked[name] === undefined ? [toFault(name, 'required', 'is required')] : [])),
    ...[...inPath].flatMap((name) =>
      asked[name] === undefined || typeof asked[name] === 'string'
        ? []
        : [toFault(name, 'invalid_type', 'must be a string')],
    ),
    ...(hasBody ? [] : Object.keys(asked).filter((name) => !Object.hasOwn(Object(inputSchema.properties), name))).map(
      (name) => toFault(name, 'unknown_field', 'is not known here: remove it or correct its name'),
    ),
  ];
  if (faults.length > 0) {
    const many = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
    throw new Problem('invalid_query', `The arguments have ${many}; correct what errors lists and ask again.`, {
      errors: faults,
    });
  }
  const path = tool.path.replaceAll(/\{([^}]*)\}/g, (_all, name: string) => toStep(String(asked[name])));
  const rest = Object.fromEntries(Object.entries(asked).filter(([name]) => !inPath.has(name)));
  if (hasBody) return { method: 'POST', url: path, body: rest };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) query.set(name, toParameter(value));
  return { method: 'GET', url: query.size === 0 ? path : `${path}?${query}` };
}

const toFault = (name: string, code: Fault['code'], message: string): Fault => ({
  pointer: toPointer([name]),
  code,
  message,
});

/** A URL resolves `.` and `..` even when they are encoded, so another route would answer. */
function toStep(text: string): string {
  if (['', '.', '..'].includes(text) || !text.isWellFormed()) {
    throw new Problem('not_found', 'There is no such thing.');
  }
  return encodeURIComponent(text);
}

const toParameter = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
