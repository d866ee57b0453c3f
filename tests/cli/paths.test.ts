import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInHost } from './command.ts';

/** What a service was asked for: whatever it is, it is done. */
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
});

// Asked as it stands, the first would be DELETE /admin/projects/prj_1/: the project with all its data.
test.concurrent.each([
  ['keys', 'revoke', '..', '--project', 'prj_1'],
  ['clients', 'revoke', '..', '--project', 'prj_1'],
  ['clients', 'revoke-secret', '..', '.', '--project', 'prj_1'],
  ['keys', 'revoke', 'key_1', '--project', '..'],
  ['projects', 'delete', '.', '--yes'],
  ['projects', 'delete', '', '--yes'],
  ['prices', 'delete', '..', '--project', 'prj_1'],
  ['prices', 'explain', '..', '--project', 'prj_1'],
  ['rebuild', '--no-wait', '--project', '..'],
])(
  'D13.2: farthing %s %s %s: an id that would be a step of the path is refused, and nothing is asked for',
  async (...args) => {
    const { port } = server.address() as AddressInfo;
    const settings = { FARTHING_URL: `http://127.0.0.1:${port}`, FARTHING_ADMIN_TOKEN: 'a-token-of-the-tests' };
    const { code, stderr } = await runInHost(args, settings);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n'), stderr).toHaveLength(1);
    expect(asked.filter((line) => !line.startsWith('GET '))).toEqual([]);
  },
);
