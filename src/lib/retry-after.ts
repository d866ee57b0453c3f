/** The wait that the header asks for, in seconds or as a date (RFC 9110), in milliseconds; 0 for anything else. */
export function readRetryAfter(header: string | undefined, at: number): number {
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, date - at);
}
