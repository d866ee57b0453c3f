// Schemathesis (PyPI) against the OpenAPI document: no 500, and every answer is one that the document has.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { connect } from '../support/client.ts';
import { seed } from '../support/effort.ts';
import { makeDataDir, makeMigratedDataDir, startService } from '../support/service.ts';

const version = '4.32.5';
/** Random requests to each operation, beside its examples and the bounds of its schema. TEST_EXAMPLES is for a shorter look. */
const examples = Number(process.env.TEST_EXAMPLES ?? 100);
const settings = fileURLToPath(new URL('./schemathesis/', import.meta.url));
const installed = fileURLToPath(new URL(`../../node_modules/.cache/schemathesis-${version}/`, import.meta.url));

function install(): void {
  const run = (command: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  };
  if (existsSync(`${installed}bin/schemathesis`)) return;
  run('python3', '-m', 'venv', installed);
  run(`${installed}bin/pip`, 'install', '--quiet', `schemathesis==${version}`);
}

test('D11.3: Schemathesis finds no answer that the OpenAPI document does not have', {
  timeout: 7_200_000,
}, async () => {
  install();
  const service = await startService({ dataDir: makeMigratedDataDir() });
  try {
    const farthing = connect(service.url, service.adminToken);
    const project = await farthing.createProject();
    const { api_key: key } = await project.createKey({ scopes: ['read', 'write'] });
    const options = [
      ...['--config-file', `${settings}schemathesis.toml`, 'run', `${service.url}/openapi.json`],
      ...['--max-examples', String(examples), '--seed', String(seed), '--continue-on-failure'],
      ...['--request-timeout', '60', '--suppress-health-check', 'all', '--warnings', 'off', '--no-color'],
    ];
    const schemathesis = spawn(`${installed}bin/schemathesis`, options, {
      // It keeps notes beside where it runs.
      cwd: makeDataDir(),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: 'hooks',
        PYTHONPATH: settings,
        PYTHONDONTWRITEBYTECODE: '1',
        FARTHING_CLIENT: project.clientId,
        FARTHING_SECRET: project.secret,
        FARTHING_ADMIN_TOKEN: service.adminToken,
        FARTHING_KEY: key,
      },
    });
    let output = '';
    schemathesis.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const [code] = await once(schemathesis, 'close');
    const told = output.replaceAll(/(.{200}).+/g, '$1…').slice(-20_000);
    expect(told).toContain('Test cases:');
    expect(code, told).toBe(0);
    expect(service.output()).not.toContain('"level":50');
  } finally {
    await service.kill();
  }
});
