import { parseJson } from '../../../src/lib/json.ts';
import { ApiProblem } from '../api/client.ts';

/** An answer as a file, which may have a hundred thousand rows. @throws ApiProblem */
export async function readFile(path: string, project: string | undefined): Promise<Blob> {
  const answer = await fetch(path, { headers: project === undefined ? {} : { 'farthing-project': project } });
  if (answer.ok) return await answer.blob();
  throw new ApiProblem(answer.status, Object(parseJson(await answer.text())));
}
