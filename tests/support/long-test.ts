import { test } from 'vitest';
import { isLong } from './effort.ts';

type TestFunction = () => Promise<void> | void;

/**
 * A test of the long form alone: a cheaper test notices the same mistakes, or it shows a rule in one more state.
 * A file must have others too, or `tooLong` names it.
 */
export function longTest(title: string, run: TestFunction): void;
export function longTest(title: string, options: { readonly timeout: number }, run: TestFunction): void;
export function longTest(title: string, ...rest: [TestFunction] | [{ readonly timeout: number }, TestFunction]): void {
  if (!isLong) return;
  const [first, second] = rest;
  if (typeof first === 'function') test(title, first);
  else if (second) test(title, first, second);
}
