import { mostFaults } from '../../lib/faults.ts';
import { type Fault, Problem, toPointer } from '../../lib/problem.ts';
import type { Asked } from './dashboard-place.ts';
import { type DescribedTool, leftOut, parametersOf } from './describe.ts';

export interface RouteRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: Asked;
}

/**
 * The request of a question. The route validates body and query string; here the steps of the path are checked.
 * @throws Problem `invalid_query`, or `not_found` for a step that no path can have
 */
export function toRequest({ tool, operation }: DescribedTool, asked: Asked): RouteRequest {
  const parameters = parametersOf(operation);
  const inPath = parameters.flatMap((one) => (one.in === 'path' ? [one.name] : []));
  const rest = Object.fromEntries(Object.entries(asked).filter(([name]) => !inPath.includes(name)));
  const hasBody = operation.requestBody !== undefined;
  const takesRest = hasBody || parameters.length > inPath.length;
  const { needs = [], without = [] } = tool;
  const unseen = Object.keys(rest).filter(
    (name) => !takesRest || (!hasBody && leftOut.has(name)) || without.includes(name),
  );
  const faults = [
    ...inPath.flatMap((name) => findStepFault(name, asked[name])),
    ...needs.flatMap((name) => (asked[name] === undefined ? [toFault(name, 'required', 'is required')] : [])),
    ...unseen
      .slice(0, mostFaults)
      .map((name) => toFault(name, 'unknown_field', 'is not known here: remove it or correct its name')),
  ];
  if (faults.length > 0) {
    const many = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
    throw new Problem('invalid_query', `The arguments have ${many}; correct what errors lists and ask again.`, {
      errors: faults,
    });
  }
  const path = tool.path.replaceAll(/\{([^}]*)\}/g, (_all, name: string) => toStep(name, String(asked[name])));
  if (hasBody) return { method: 'POST', url: path, body: rest };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined) query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return { method: 'GET', url: query.size === 0 ? path : `${path}?${query}` };
}

function findStepFault(name: string, value: unknown): Fault[] {
  if (value === undefined) return [toFault(name, 'required', 'is required')];
  return typeof value === 'string' ? [] : [toFault(name, 'invalid_type', 'must be a string')];
}

const toFault = (name: string, code: Fault['code'], message: string): Fault => ({
  pointer: toPointer([name]),
  code,
  message,
});

/** A URL resolves `.` and `..` even when they are encoded, so another route would answer. */
function toStep(name: string, text: string): string {
  if (['', '.', '..'].includes(text) || !text.isWellFormed()) {
    throw new Problem('not_found', `Nothing has this ${name}; check it.`);
  }
  return encodeURIComponent(text);
}
