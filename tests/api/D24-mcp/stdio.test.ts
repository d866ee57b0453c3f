// `farthing mcp` as an assistant starts it, by the lines of docs/api/mcp.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { runCommand } from '../../cli/command.ts';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { poll } from '../../support/poll.ts';
import { isRunning } from '../../support/service.ts';
import { lines, openClient, toAssistant } from './assistant.ts';
import { askRoute, listQuestions, makeWorld, type World } from './questions.ts';

const farthing = sharedFarthing();
const root = fileURLToPath(new URL('../../../', import.meta.url));

const configuration = z.object({
  mcpServers: z.record(
    z.string(),
    z.union([
      z.strictObject({ type: z.literal('http'), url: z.url(), headers: z.record(z.string(), z.string()) }),
      z.strictObject({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) }),
    ]),
  ),
});

let world: World;
beforeAll(async () => {
  world = await makeWorld(farthing);
});

/** The servers of the configuration that the page shows, for this service and this key. */
function readServers(apiKey: string) {
  const page = readFileSync(join(root, 'docs/api/mcp.md'), 'utf8');
  const blocks = [...page.matchAll(/^```jsonc\n([\s\S]*?)^```$/gm)].map(([, text = '']) =>
    text
      .replaceAll('http://127.0.0.1:8787', farthing.url)
      .replaceAll('fk_…', apiKey)
      .replaceAll('/path/to/farthing/', root),
  );
  return blocks.flatMap((text) => Object.values(configuration.parse(JSON.parse(text)).mcpServers));
}

test.each(someOf(lines, 1))(
  'D24.3: the configuration on the page connects over HTTP and over stdio, with the same tools (%s)',
  async (line) => {
    const servers = readServers(world.revenue.apiKey);
    expect(servers.map((server) => ('url' in server ? 'http' : 'stdio'))).toEqual(['http', 'stdio']);
    const clients = await Promise.all(
      servers.map(async (server) => {
        const client = openClient(line);
        await client.connect(
          'url' in server
            ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } })
            : new StdioClientTransport({ ...server, env: { PATH: process.env.PATH ?? '', ...server.env } }),
        );
        return client;
      }),
    );
    try {
      const [overHttp, overStdio] = await Promise.all(clients.map((client) => client.listTools()));
      expect(overStdio?.tools).toEqual(overHttp?.tools);
      const [http, stdio] = clients.map(toAssistant);
      const questions = listQuestions(world).filter(({ project }) => project === world.revenue);
      for (const question of someOf(questions, 3)) {
        const [expected, given] = await Promise.all(
          [http, stdio].map((one) => one?.ask(question.tool, question.asked)),
        );
        expect(given?.told.answer, question.tool).toEqual(await askRoute(question));
        expect(given?.told.link, question.tool).toBe(expected?.told.link);
      }
      const refused = await stdio?.ask('costs', { date_from: '1970-01-01' });
      expect(refused).toMatchObject({ isError: true, told: { code: 'invalid_body' } });
    } finally {
      await Promise.all(clients.map((client) => client.close()));
    }
  },
);

test('D24.3: with the admin token the command asks for the project of --project, and ends with its stdin', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1 }));
  const client = openClient('legacy');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'bin/farthing.js'), 'mcp', '--project', project.id],
    env: { PATH: process.env.PATH ?? '', FARTHING_URL: farthing.url, FARTHING_ADMIN_TOKEN: farthing.adminToken },
  });
  await client.connect(transport);
  const { pid } = transport;
  const { told } = await toAssistant(client).ask('project');
  expect(told).toMatchObject({ answer: { id: project.id }, link: `${farthing.url}/?project=${project.id}` });
  await client.close();
  await poll('the command has ended', { within: 60_000, every: 50 }, () => !isRunning(pid ?? 0) || undefined);
});

const failures: readonly (readonly [string, Record<string, string>, string])[] = [
  ['a wrong key', { FARTHING_API_KEY: 'fk_none' }, 'The API key is not valid'],
  ['no token', {}, 'There is no admin token'],
  [
    'no service',
    { FARTHING_API_KEY: 'fk_none', FARTHING_URL: 'http://127.0.0.1:9' },
    'No service answers at http://127.0.0.1:9',
  ],
];

test.each(someOf(failures, 1))(
  'D24.3, D13.2: the command with %s fails with one clear line',
  async (_with, settings, line) => {
    const { code, stdout, stderr } = await runCommand(['mcp'], { FARTHING_URL: farthing.url, ...settings });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(line)]);
  },
);
