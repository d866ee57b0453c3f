// Requests that a route must refuse, derived from the OpenAPI document, so a new route needs no line here.
import type { Answer, Farthing, Project, SendOptions } from '../../support/client.ts';
import type { Operation } from '../../support/openapi.ts';

export interface Refusal {
  name: string;
  /** The answer may have any of these. */
  statuses: number[];
  send: () => Promise<Answer>;
}

/** A project with two keys of one scope each. */
export interface Keys {
  project: Project;
  reader: string;
  writer: string;
}

export function listRefusals(operation: Operation, farthing: Farthing, keys: Keys): Refusal[] {
  const { method, path, requestBody, parameters, security } = operation;
  const { project } = keys;
  const isPublic = security.length === 0 || security.some((one) => Object.keys(one).length === 0);
  const scopes = [...new Set(security.flatMap((one) => one.apiKey ?? []))];
  // With either scope, the body decides whether it is enough.
  const scope = scopes.length === 1 ? scopes[0] : undefined;
  const hasPath = path.includes('{');
  // An unknown hook is told before its body is read.
  const isHook = path.startsWith('/hooks/');
  const isIntake = security.some((one) => 'clientSecret' in one);

  const credentials = credentialsFor(operation, farthing, project);
  const body = requestBody?.required ? { raw: '"not an object"' } : {};
  const send = (options: SendOptions, query = '', target = fillPath(path, project)) =>
    farthing.send(method, `${target}${query}`, { ...credentials, ...options });

  const refusals: (Refusal | false)[] = [
    !isPublic && {
      name: 'no key',
      statuses: [401],
      send: () => farthing.send(method, fillPath(path, project), body),
    },
    !isPublic && {
      name: 'a wrong key',
      statuses: [401],
      send: () => farthing.send(method, fillPath(path, project), { ...body, token: 'fk_none' }),
    },
    scope !== undefined && {
      name: 'a key without the scope',
      statuses: [403],
      send: () => send({ ...body, token: scope === 'read' ? keys.writer : keys.reader }),
    },
    scopes.length > 0 && {
      name: 'the admin token without a project',
      statuses: [403],
      send: () => send({ ...body, token: farthing.adminToken }),
    },
    requestBody !== undefined && {
      name: 'a body of a wrong type',
      statuses: [isHook ? 404 : 400],
      send: () => send({ raw: '"text"' }),
    },
    requestBody !== undefined && {
      name: 'a body that is not JSON',
      statuses: [isHook ? 404 : 400],
      send: () => send({ raw: '{"' }),
    },
    requestBody !== undefined && {
      name: 'a body that is text',
      statuses: [isHook ? 404 : 415],
      send: () => send({ raw: 'text', contentType: 'text/plain' }),
    },
    parameters.some((parameter) => parameter.in === 'query') && {
      name: 'an unknown parameter',
      // A missing thing in the path is reported before the parameter.
      statuses: hasPath ? [400, 404] : [400],
      send: () => send({}, '?nonsense=1'),
    },
    hasPath &&
      !isIntake &&
      requestBody === undefined && {
        name: 'a thing that is not there',
        // The erasure of a customer or user is accepted even if nothing is stored about them.
        statuses: path.endsWith('{name}/') ? [202, 404] : [404],
        send: () => send({}, '', path.replaceAll(/\{[^}]*\}/g, 'nothing')),
      },
  ];
  return refusals.filter((refusal) => refusal !== false);
}

/** The credentials for the route: a key of the project, the secret of its client, or the admin token. */
export function credentialsFor({ security, parameters }: Operation, farthing: Farthing, project: Project): SendOptions {
  const schemes = new Set(security.flatMap((one) => Object.keys(one)));
  if (schemes.has('apiKey')) return { token: project.apiKey };
  if (schemes.has('clientSecret')) return { token: project.secret };
  if (!schemes.has('adminToken')) return {};
  const isOfProject = parameters.some(({ name }) => name === 'Farthing-Project');
  return { token: farthing.adminToken, ...(isOfProject && { headers: { 'Farthing-Project': project.id } }) };
}

/** The path with the ids of the project, and `nothing` for all other parameters. */
export const fillPath = (path: string, project: Project): string =>
  path
    .replace('/admin/projects/{id}', `/admin/projects/${project.id}`)
    .replace('{client_id}', project.clientId)
    .replaceAll(/\{[^}]*\}/g, 'nothing');
