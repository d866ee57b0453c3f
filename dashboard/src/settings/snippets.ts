// Commands to copy, with the address of this service.

/** Gives an assistant the questions of the API as tools (docs/api/mcp.md). */
export const toAssistantLine = (key: string): string =>
  `claude mcp add --transport http farthing ${location.origin}/mcp --header "Authorization: Bearer ${key}"`;

export const toCostsCurl = (key: string, day: string): string =>
  [
    `curl -sS ${location.origin}/api/costs/ \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ date_from: day, group_by: 'customer' })}'`,
  ].join('\n');
