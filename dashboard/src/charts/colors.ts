// Names of CSS custom properties. Neighbouring colours are easy to tell apart, in light and in dark mode.
export const palette = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5', '--chart-6'];
export const otherColor = '--chart-other';

/** The current value of a colour, for code that can't use custom properties. */
export const readColor = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
