// Commands to copy, with the address of this service.

export const toCostsCurl = (key: string, day: string): string =>
  [
    `curl -sS ${location.origin}/api/costs/ \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ date_from: day, group_by: 'customer' })}'`,
  ].join('\n');
