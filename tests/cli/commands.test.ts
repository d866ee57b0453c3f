import { describe, expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing, tokenEvent } from '../support/client.ts';
import { commandsOf } from './as-admin.ts';
import { runCommand, runInHost } from './command.ts';

const farthing = sharedFarthing();
const { url, adminToken } = farthing;

/** Runs a command as the admin of the service and reads the JSON that it prints. */
const runJson = async <T>(...args: string[]): Promise<T> => (await commandsOf(farthing).runJson(...args)) as T;

describe('D13.2: the commands', () => {
  test('a project, a client and a key are made, used, listed and revoked', async () => {
    const project = await runJson<{ id: string }>(
      'projects',
      'create',
      'Bot',
      '--type',
      'internal',
      '--timezone',
      'Asia/Kolkata',
    );
    const { projects } = await runJson<{ projects: { id: string; timezone: string }[] }>('projects');
    expect(projects).toContainEqual(
      expect.objectContaining({ ...project, timezone: 'Asia/Kolkata', type: 'internal' }),
    );

    const client = await runJson<{ client_id: string; secret: string }>('clients', 'create', '--project', project.id);
    const post = (secret: string) =>
      fetch(`${url}/intake/${client.client_id}/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: '[]',
      });
    const further = await runJson<{ id: string; secret: string }>(
      'clients',
      'add-secret',
      client.client_id,
      '--project',
      project.id,
    );
    expect((await post(client.secret)).status).toBe(200);
    expect((await post(further.secret)).status).toBe(200);
    await runJson('clients', 'revoke-secret', client.client_id, further.id, '--project', project.id);
    expect((await post(further.secret)).status).toBe(401);
    await runJson('clients', 'revoke', client.client_id, '--project', project.id);
    expect((await post(client.secret)).status).toBe(401);

    const key = await runJson<{ id: string; api_key: string }>(
      'keys',
      'create',
      '--project',
      project.id,
      '--scopes',
      'read',
    );
    const ask = () => fetch(`${url}/api/project/`, { headers: { authorization: `Bearer ${key.api_key}` } });
    expect((await ask()).status).toBe(200);
    const listed = await commandsOf(farthing).run('keys', 'list', '--project', project.id);
    expect(listed).toContain(key.id);
    expect(listed).not.toContain(key.api_key);
    await runJson('keys', 'revoke', key.id, '--project', project.id);
    expect((await ask()).status).toBe(401);

    await runJson('projects', 'delete', project.id, '--yes');
    const left = await runJson<{ projects: { id: string }[] }>('projects');
    expect(left.projects.map(({ id }) => id)).not.toContain(project.id);
  });

  test.each([
    [['projects'], { FARTHING_ADMIN_TOKEN: 'not-the-admin-token' }, 'The admin token is not valid'],
    [['projects', 'list'], {}, 'There is no admin token'],
    [['projects', 'delete', 'prj_x'], {}, 'Add --yes to do it'],
    [['keys', 'list', '--project', 'prj_x'], { FARTHING_ADMIN_TOKEN: adminToken }, 'There is no project'],
    [['import', '/nonexistent.ndjson', '--client-id', 'x', '--secret', 'y'], {}, 'no such file or directory'],
    [['import', '/nonexistent.ndjson'], {}, 'Give --client-id and --secret'],
    [['import', '.', '--client-id', 'x', '--secret', 'y'], {}, '. is a folder: give a file.'],
    [['import', '--from', 'langfuse', '.', '--client-id', 'x', '--secret', 'y'], {}, '. is a folder'],
    [['invoices', 'import', '--from', 'focus', '.'], {}, '. is a folder'],
    [['revenue', 'import', '--from', 'stripe', '.'], {}, '. is a folder'],
    [['shared-costs', 'import', '.'], {}, '. is a folder'],
    [['prices', 'update', '.'], {}, '. is a folder'],
    [['prices', 'update', import.meta.filename], {}, 'is not JSON'],
    [['projects'], { FARTHING_URL: '', FARTHING_PORT: 'abc' }, 'FARTHING_PORT: must be a whole number from 0 to 65535'],
  ])('%j with %j fails with one clear line', async (args, settings, line) => {
    const { code, stderr } = await runInHost(args, { FARTHING_URL: url, ...settings });
    expect(code).toBe(1);
    expect(stderr).toContain(line);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test('a process that fails ends with 1 and says why without a stack', async () => {
    const faults = { FARTHING_PORT: '70000', FARTHING_LOG_LEVEL: 'loud', FARTHING_TYPO: '1' };
    const { code, stderr } = await runCommand(['serve'], faults);
    expect(code).toBe(1);
    expect(stderr).toContain('The configuration has 3 faults');
    expect(stderr).not.toMatch(/^ +at /m);
    // What was typed is quoted as it was, also where it looks like a command.
    const typed = await runInHost(['demo', '--type', 'farthing demo']);
    expect(typed).toMatchObject({ code: 1, stderr: expect.stringContaining("'farthing demo' is invalid") });
  });

  test('what is made, listed and revoked is shown to people in tables and lines', async () => {
    const { run, runJson } = commandsOf(farthing);
    const made = await run('projects', 'create', 'Shown');
    const id = /prj_\w+/.exec(made)?.[0] ?? '';
    expect(await run('projects', 'list')).toMatch(new RegExp(`${id} .* Shown .* revenue .* UTC `));
    const of = ['--project', id];
    const [client, key] = await Promise.all([
      run('clients', 'create', ...of, '--name', 'api'),
      run('keys', 'create', ...of),
    ]);
    expect(client).toContain('secret (shown only once)');
    const clientId = /[0-9a-f-]{36}/.exec(client)?.[0] ?? '';
    const keyId = /key_\w+/.exec(key)?.[0] ?? '';
    expect(key).toMatch(/read, write .* fk_\w+/);
    const secret = /sec_\w+/.exec(await run('clients', 'add-secret', clientId, ...of))?.[0] ?? '';
    const listed = await run('clients', 'list', ...of);
    expect(listed).toContain(secret);
    expect(listed).not.toMatch(/fs_\w+/);
    expect(await runJson('keys', 'list', ...of)).toMatchObject({ api_keys: [{ id: keyId }] });
    expect(await run('clients', 'revoke-secret', clientId, secret, ...of)).toBe(`Revoked ${secret}.\n`);
    expect(await run('clients', 'revoke', clientId, ...of)).toBe(`Revoked ${clientId}.\n`);
    expect(await run('keys', 'revoke', keyId, ...of)).toBe(`Revoked ${keyId}.\n`);
    expect(await run('projects', 'delete', id, '--yes')).toBe(`Deleted ${id}.\n`);
  });

  test('D23, D25: waste and next-steps show what was spent for nothing, and what to do', async () => {
    const { run, runJson: ask, fail } = commandsOf(farthing);
    const project = await farthing.createProject();
    const timestamp = new Date(Date.now() - 86_400_000).toISOString();
    const call = { timestamp, model: 'gpt-4o', provider: 'openai', prompt_tokens: 1_000_000, completion_tokens: 0 };
    await project.post(
      tokenEvent(call),
      tokenEvent({ ...call, event_type: 'llm.error', error_type: 'TimeoutError', prompt_tokens: 400_000 }),
    );
    const of = ['--project', project.id];
    const range = ['--from', timestamp.slice(0, 10), '--to', timestamp.slice(0, 10)];
    const shown = await run('waste', ...range, '--alternative', 'gpt-4o=gpt-4o-mini', ...of);
    expect(shown).toMatch(/failed .* 1 .* \$1\.00 .* 28\.6%/);
    expect(shown).toMatch(/dearer_model .* 1 .* up to \$2\.35/);
    expect(shown).toContain('failed: Calls that failed');
    expect(await ask('waste', ...range, ...of)).toMatchObject({ calls: 2, total_cost: 3.5, wasted: 1 });
    expect(await fail('waste', ...range, '--alternative', 'gpt-4o', ...of)).toContain('model=cheaper-model');
    expect(await run('next-steps', ...of)).toMatch(/gpt-4o → gpt-4o-mini .* \/waste\?/);
    expect(await ask('next-steps', ...of)).toMatchObject({
      steps: [{ kind: 'model_swap' }, { kind: 'waste', subject: 'failed', amount_per_month: 15 }],
    });
  });

  test('D29: plans shows how plans pay, and what other prices would have earned', async () => {
    const { run, runJson: ask, fail } = commandsOf(farthing);
    const project = await farthing.createProject();
    await project.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
    await project.post({ ...costEvent({ cost: 12 }), timestamp: '2026-05-10T12:00:00Z', tags: { customer: 'acme' } });
    const [of, range] = [
      ['--project', project.id],
      ['--from', '2026-05-01', '--to', '2026-05-31'],
    ];
    expect(await run('plans', ...range, ...of)).toMatch(/pro .* 1 .* \$0\.00 .* \$12\.00 .* -\$12\.00/);
    const prices = ['--plan', 'pro', '--base', '34', '--unit', 'calls', '--price', '0.5', '--target', '60'];
    const shown = await run('plans', 'simulate', ...range, ...prices, ...of);
    expect(shown).toMatch(/pro .* \$34\.50 .* 65\.2% .* 1 .* 0, was 1 .* \$29\.50 a month/);
    const plans = [{ name: 'Pro', customers: { names: ['acme'] }, base_per_month: 20 }];
    const question = { date_from: '2026-05-01', date_to: '2026-05-31', plans };
    expectStatus(await project.api('PUT', '/api/plans/simulations/cheap/', question), 201);
    expect(await ask('plans', 'simulate', '--saved', 'cheap', '--target', '60', ...of)).toMatchObject({
      plans: [{ name: 'Pro', simulated_revenue: 20, target_base: { base_per_month: 30 } }],
    });
    expect(await fail('plans', 'simulate', '--plan', 'pro', ...of)).toMatch(/date_from|base_per_month/);
    const gpu = { external_id: 'gpu', name: 'GPU', amount: 8, date_from: '2026-05-10', allocate_by: 'calls' };
    expectStatus(await project.api('POST', '/api/shared-costs/', { entries: [gpu] }), 201);
    const shared = [...range, '--include-shared', '--apply-credits', ...of];
    expect(await ask('plans', 'list', ...shared)).toMatchObject({ rows: [{ cost: 20 }] });
    expect(await ask('plans', 'simulate', ...prices, ...shared)).toMatchObject({ plans: [{ cost: 20 }] });
  });
});
