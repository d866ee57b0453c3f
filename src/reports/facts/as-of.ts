import type { Project } from '../../accounts/projects.ts';
import { type Generations, readGenerations } from '../../calls/generations.ts';
import { Problem } from '../../lib/problem.ts';
import { readPinnedGenerations } from '../../rollups/pins/pinned-generations.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import { findMadeClose, type MadeClose, readMoves } from './closes.ts';
import { currentFacts, type Facts, pinnedFacts, readPinnedProject } from './facts.ts';

/** The inputs of an answer besides the rows of the analytic store, as they are now or were at a close (D19.1). */
export interface AsOf {
  /** With its type and settings at that time. */
  readonly project: Project;
  readonly generations: Generations;
  readonly facts: Facts;
}

/** What is in force now. An answer reads it once and uses it for all its statements. */
export const readNow = async (control: ControlQueries, project: Project): Promise<AsOf> => ({
  project,
  generations: await readGenerations(control, project.id),
  facts: currentFacts(control, project.id),
});

/** The close that a question names, if any. @throws Problem `code` for an unknown one */
export async function findAskedClose(
  control: ControlQueries,
  project: Project,
  id: string | undefined,
  code: 'invalid_body' | 'invalid_query' = 'invalid_body',
): Promise<MadeClose | undefined> {
  if (id === undefined) return undefined;
  const close = await findMadeClose(control, project.id, id);
  if (!close) throw unknownClose(code);
  return close;
}

const unknownClose = (code: 'invalid_body' | 'invalid_query' = 'invalid_body'): Problem =>
  new Problem(code, 'as_of names no close of this project: GET /api/closes/ lists them.', {
    errors: [{ pointer: '/as_of', code: 'invalid_value', message: 'must be the id of a close of this project' }],
  });

/** What was in force at a close. @throws Problem `invalid_body` when it was deleted meanwhile */
async function readAt(control: ControlQueries, project: Project, close: MadeClose): Promise<AsOf> {
  const [settings, generations] = await Promise.all([
    readPinnedProject(control, close.id, project),
    readPinnedGenerations(control, close),
  ]);
  if (!settings) throw unknownClose();
  return {
    project: { ...settings, timezone: close.timezone },
    generations,
    facts: pinnedFacts(control, { closeId: close.id, projectId: project.id }),
  };
}

/** The most times that an answer is computed, when the pins of the close keep moving. */
const mostAttempts = 5;

/**
 * As of now, or as a close pins; while its pins move the answer is computed again (docs/decisions/0020).
 * @throws Problem `invalid_body` when the close was deleted meanwhile, `unavailable` when its pins keep moving
 */
export async function answerAsOf<Answer>(
  control: ControlQueries,
  project: Project,
  asked: MadeClose | undefined,
  answer: (asOf: AsOf) => Promise<Answer>,
): Promise<Answer> {
  if (!asked) return await answer(await readNow(control, project));
  let before = asked.moves;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const made = await answer(await readAt(control, project, asked));
    const after = await readMoves(control, asked.id);
    if (after === undefined) throw unknownClose();
    if (after === before) return made;
    before = after;
  }
  throw new Problem('unavailable', 'Closed days are being copied; try again in a moment.', {
    headers: { 'retry-after': '1' },
  });
}
