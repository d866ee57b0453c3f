import type { PlantedFault } from './planted-fault.ts';

const tools = { unit: ['tests/mcp/call-tool.test.ts'] };
const links = { unit: ['tests/mcp/links.test.ts'] };

export const faultsOfMcp: readonly PlantedFault[] = [
  {
    id: 'answers-of-any-size',
    file: 'src/reports/mcp/result.ts',
    find: 'bytesOf(result) <= maxBytes',
    replace: 'bytesOf(result) > 0',
    why: 'One answer fills the memory of an assistant.',
    tests: tools,
  },
  {
    id: 'names-lead-to-other-routes',
    file: 'src/reports/mcp/to-request.ts',
    find: "['', '.', '..'].includes(text)",
    replace: "text === ''",
    why: 'A budget named .. is the list of all projects, or whatever a path above it answers.',
    tests: tools,
  },
  {
    id: 'cursors-are-cut',
    file: 'src/reports/mcp/cut.ts',
    find: 'isCursor(path) ? part : ',
    replace: '',
    why: 'After a row that is too large, the next page cannot be asked for.',
    tests: tools,
  },
  {
    id: 'links-of-other-days',
    file: 'src/reports/mcp/call-tool.ts',
    find: 'search.to ?? (await readToday(routes))',
    replace: 'search.to',
    why: 'A link of a question up to today shows the last 30 days.',
    tests: links,
  },
  {
    id: 'the-page-asks-as-an-assistant',
    file: 'src/reports/mcp/routes.ts',
    find: 'bearerToken(request) === undefined',
    replace: "bearerToken(request) === ''",
    why: 'A session of the page opens what only a key should.',
    tests: { 'api-sqlite': ['tests/api/D24-mcp/4xx.test.ts'] },
  },
];
