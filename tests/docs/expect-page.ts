import { expect } from 'vitest';
import { cutToShown, type Desk, type Example } from './run-page.ts';

/** Runs the commands of the examples in one shell, and expects each answer as it is shown. */
export async function expectExamples(desk: Desk, examples: readonly Example[]): Promise<void> {
  const printed = await desk.run(examples);
  for (const [index, { place, commands, shown }] of examples.entries()) {
    const { stdout = '', stderr } = printed[index] ?? {};
    const where = `${place}\n${commands}${stdout}`;
    expect(stderr, where).toBe('');
    // Where no answer is shown none is compared, but nothing may be refused.
    if (shown === undefined) expect(stdout, where).not.toContain('request_id');
    else expect(cutToShown(JSON.parse(stdout), shown), where).toEqual(shown);
  }
}

/** How many of the examples show an answer. */
export const countShown = (examples: readonly Example[]): number =>
  examples.filter(({ shown }) => shown !== undefined).length;
