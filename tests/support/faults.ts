// Tables of bad requests, each with the faults that the answer must name.
import { expect } from 'vitest';
import type { Answer, Farthing, Project } from './client.ts';
import { expectProblem } from './problem.ts';

/** The place of a fault and its code; several codes where the decisions leave a choice. */
export type Fault = [pointer: string, ...codes: string[]];

/** Checks that an answer names exactly these faults, in any order. */
export function expectFaults(answer: Answer, faults: readonly Fault[]): void {
  const { errors = [] } = expectProblem(answer, 400, 'invalid_body');
  const byPointer = (a: { pointer: string }, b: { pointer: string }) => (a.pointer < b.pointer ? -1 : 1);
  const expected = faults.map(([pointer, ...codes]) => ({ pointer, codes })).sort(byPointer);
  const found = [...errors].sort(byPointer);
  expect(found.map((error) => error.pointer)).toEqual(expected.map((fault) => fault.pointer));
  for (const [index, { pointer, codes }] of expected.entries()) {
    expect(codes, `${pointer}: ${found[index]?.message}`).toContain(found[index]?.code);
  }
}

/** One project for a whole table: a bad request stores nothing, so the rows don't disturb each other. */
export function projectOfTable(farthing: Farthing): () => Promise<Project> {
  let project: Promise<Project> | undefined;
  return async () => {
    project ??= farthing.createProject();
    return await project;
  };
}

export const long = (length: number) => 'x'.repeat(length);
export const many = (length: number) => Array.from({ length }, (_, index) => `v${index}`);
