import { readdirSync, readFileSync } from 'node:fs';
import type { Answer, Json, Project } from '../client.ts';
import { type Encoding, postOtlp } from './post.ts';

/**
 * What real packages of Python sent against a provider whose answers are known: `truth` has the model and the tokens of
 * each, `versions` the packages. Prompts, answers and arguments hold the word `zebra`. `expected.json` beside them says
 * what they cost, and whose calls they are.
 */
export interface PythonRecording {
  readonly name: string;
  readonly versions: string;
  readonly truth: readonly Json[];
  /** The requests in order. `route` comes after the address of the client; OTLP is JSON with hexadecimal ids. */
  readonly posts: readonly { readonly route: string; readonly body: Json }[];
}

const folder = new URL('../../fixtures/recordings/', import.meta.url);

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

export const pythonRecordings: readonly string[] = readdirSync(folder)
  .map((file) => file.replace(/\.json$/, ''))
  .filter((name) => name !== 'expected')
  .sort();

export const pythonRecording = (name: string): PythonRecording => read(name) as PythonRecording;

/** Posts the requests of a recording as they were sent, OTLP in this encoding. */
export async function postRecording(
  project: Project,
  { posts }: PythonRecording,
  encoding: Encoding = 'json',
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { route, body } of posts) {
    const isOtlp = route.startsWith('v1/');
    const post = { token: project.secret, body };
    answers.push(
      isOtlp
        ? await postOtlp(project, body, encoding)
        : await project.farthing.send('POST', `${project.intakePath}${route}`, post),
    );
  }
  return answers;
}
