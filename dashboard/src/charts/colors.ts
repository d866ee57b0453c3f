/** Far enough apart for each other's neighbours, in light and in dark. */
export const palette = ['#4f46e5', '#0ea5e9', '#14b8a6', '#f59e0b', '#ec4899', '#8b5cf6', '#84cc16', '#ef4444'];
export const otherColor = '#9ca3af';
