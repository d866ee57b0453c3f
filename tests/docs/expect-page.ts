import { expect } from 'vitest';
import { cutToShown, type Desk, type Example } from './run-page.ts';

/** Runs the commands of the examples in one shell and compares each answer with the one shown. */
export async function expectExamples(
  desk: Desk,
  examples: readonly Example[],
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const printed = await desk.run(examples, variables);
  for (const [index, { place, commands, shown }] of examples.entries()) {
    const { stdout = '', stderr } = printed[index] ?? {};
    const where = `${place}\n${commands}${stdout}`;
    expect(stderr, where).toBe('');
    // Without a shown answer nothing is compared, but the service must not refuse the request.
    if (shown === undefined) expect(stdout, where).not.toContain('request_id');
    else expect(cutToShown(JSON.parse(stdout), shown), where).toEqual(shown);
  }
}

/** The number of examples that show an answer. */
export const countShown = (examples: readonly Example[]): number =>
  examples.filter(({ shown }) => shown !== undefined).length;
