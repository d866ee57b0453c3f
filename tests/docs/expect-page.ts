import { expect } from 'vitest';
import { cutToShown, type Desk, readExamples } from './run-page.ts';

/** Runs the commands of a page, at least `least` of which show an answer, and expects each answer as it is shown. */
export async function expectPage(desk: Desk, path: string, least: number): Promise<void> {
  const examples = readExamples(path);
  expect(examples.filter(({ shown }) => shown !== undefined).length).toBeGreaterThanOrEqual(least);
  const printed = await desk.run(examples);
  for (const [index, { line, commands, shown }] of examples.entries()) {
    const { stdout = '', stderr } = printed[index] ?? {};
    const place = `${path}:${line}\n${commands}${stdout}`;
    expect(stderr, place).toBe('');
    // Where no answer is shown none is compared, but nothing may be refused.
    if (shown === undefined) expect(stdout, place).not.toContain('request_id');
    else expect(cutToShown(JSON.parse(stdout), shown), place).toEqual(shown);
  }
}
