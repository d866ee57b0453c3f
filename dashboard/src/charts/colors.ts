// Names of CSS custom properties. Neighbouring colours are easy to tell apart, in light and in dark mode.
export const palette = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5', '--chart-6'];
export const otherColor = '--chart-other';

/** The value of a colour where an element is, for code that can't use custom properties. A report is light in dark mode too. */
export const readColor = (name: string, element: Element): string =>
  getComputedStyle(element).getPropertyValue(name).trim();
