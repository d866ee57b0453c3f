// Names of custom properties, which are other colours in the dark: far enough apart for each other's neighbours in both.
export const palette = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5', '--chart-6'];
export const otherColor = '--chart-other';

/** The colour as it is now, for what knows no custom properties. */
export const readColor = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
