// The files under deploy/, as far as they can be checked without a container engine: they parse, render and match the configuration.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { environment, readConfig } from '../../src/config.ts';
import { longTest } from '../support/long-test.ts';
import { listFiles, readSource, root } from '../tidy/sources.ts';
import { renderTemplate } from './helm.ts';

type Yaml = Record<string, never>;
const parseFile = (path: string): Yaml => parse(readSource(path).text, { merge: true }) as Yaml;
const files = listFiles('deploy');
const secrets = {
  FARTHING_ADMIN_TOKEN: 'admin-token-0123456789',
  FARTHING_METRICS_TOKEN: 'metrics-token-0123456789',
  FARTHING_SECRETS_KEY: 'secrets-key-0123456789-0123456789',
  FARTHING_CLICKHOUSE_URL: 'http://farthing:pw@clickhouse:8123/farthing',
  FARTHING_POSTGRES_URL: 'postgres://farthing:pw@postgres/farthing',
};

test('D13.1: every setting that a file names exists', () => {
  // Of compose files themselves.
  const known = new Set([...Object.keys(environment), 'FARTHING_VERSION']);
  for (const path of files) {
    const named = readSource(path).text.match(/FARTHING_[A-Z_]*[A-Z]/g) ?? [];
    expect(named.filter((name) => !known.has(name)).map((name) => `${path}: ${name}`)).toEqual([]);
  }
});

describe('the image', () => {
  const dockerfile = readSource('deploy/Dockerfile').text;

  test('copies files that exist, and .dockerignore lets them through', () => {
    const allowed = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    expect(copied.length).toBeGreaterThan(5);
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(allowed).toContain(`!${path.split('/')[0]}`);
    }
  });

  longTest('has all that its page is built from', async () => {
    const [, stage = ''] = dockerfile.split(/^FROM /m);
    const folder = await mkdtemp(join(tmpdir(), 'farthing-image-'));
    try {
      // Into the folder of a name that ends in a slash; else a folder's own content.
      for (const [, paths = '', target = ''] of stage.matchAll(/^COPY (.+) (\S+)$/gm))
        for (const path of paths.split(' '))
          await cp(join(root, path), join(folder, target, /\/$/.test(target) ? basename(path) : ''), {
            recursive: true,
            filter: (source) => !/\/dashboard\/(?:dist.*|node_modules)$/.test(source),
          });
      await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
      const vite = join(root, 'node_modules/vite/bin/vite.js');
      await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
        cwd: join(folder, 'dashboard'),
      });
      expect(existsSync(join(folder, 'dashboard/dist/index.html'))).toBe(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('runs as an unprivileged user, has a health check, and starts an existing file', () => {
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
    expect(dockerfile).toContain('/healthz');
    const [, program = ''] = /^ENTRYPOINT .*"\/app\/([^"]+)"\]$/m.exec(dockerfile) ?? [];
    expect(existsSync(join(root, program))).toBe(true);
    expect(dockerfile.lastIndexOf('USER ')).toBeGreaterThan(dockerfile.lastIndexOf('RUN '));
  });

  test('has a Node.js version that Farthing runs on', () => {
    for (const [, major] of dockerfile.matchAll(/^FROM node:(\d+)/gm)) expect(Number(major)).toBeGreaterThanOrEqual(24);
  });
});

describe.each(['single', 'three-instances'])('compose/%s.yaml', (name) => {
  const compose = parseFile(`deploy/compose/${name}.yaml`) as unknown as {
    services: Record<
      string,
      {
        image: string;
        read_only?: boolean;
        cap_drop?: string[];
        environment?: Record<string, string>;
        volumes?: string[];
      }
    >;
    volumes: Record<string, unknown>;
  };
  const instances = Object.entries(compose.services).filter(([service]) => service.startsWith('farthing'));

  test('has instances that can write only to their volumes, with settings that a start accepts', () => {
    expect(instances).toHaveLength(name === 'single' ? 1 : 3);
    for (const [, service] of instances) {
      expect(service.read_only).toBe(true);
      expect(service.cap_drop).toEqual(['ALL']);
      const env = Object.fromEntries(
        Object.entries(service.environment ?? {}).map(([key, value]) => [
          key,
          String(value).replaceAll(/\$\{(\w+)[^}]*\}/g, 'value-of-a-variable-0123456789-0123456789'),
        ]),
      );
      expect(() => readConfig(env)).not.toThrow();
    }
  });

  test('mounts volumes that it has, and files that there are', () => {
    for (const { volumes = [] } of Object.values(compose.services)) {
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('.')) expect(existsSync(join(root, 'deploy/compose', source)), source).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
    }
  });
});

test('the balancer of compose/three-instances.yaml sends to all instances of it', () => {
  const { services } = parseFile('deploy/compose/three-instances.yaml') as unknown as { services: Yaml };
  const instances = Object.keys(services).filter((service) => service.startsWith('farthing'));
  const named = [...readSource('deploy/compose/nginx.conf').text.matchAll(/^ {2}server (\S+):8787 /gm)].map(
    ([, host]) => host,
  );
  expect(named).toEqual(instances);
});

interface Container {
  readonly args: string[];
  readonly env: { name: string }[];
  readonly securityContext: Yaml;
  readonly resources: Yaml;
  readonly volumeMounts: { name: string; mountPath: string }[];
  readonly [probe: string]: unknown;
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Record<string, string>;
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Record<string, string> };
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string> };
      readonly spec: {
        readonly containers: [Container];
        readonly volumes: { name: string }[];
        readonly securityContext: Yaml;
        readonly terminationGracePeriodSeconds: number;
      };
    };
  };
}

const chart = 'deploy/helm/farthing';
const templates = files.filter((path) => path.startsWith(`${chart}/templates/`));

function renderChart(changes: Record<string, unknown> = {}): Map<string, Manifest> {
  const { appVersion, version } = parseFile(`${chart}/Chart.yaml`) as unknown as {
    appVersion: string;
    version: string;
  };
  const scope = {
    Values: { ...parseFile(`${chart}/values.yaml`), ...changes },
    Release: { Name: 'costs' },
    Chart: { AppVersion: appVersion, Version: version },
  };
  const manifests = templates.map((path) => parse(renderTemplate(readSource(path).text, scope)) as Manifest | null);
  return new Map(manifests.flatMap((manifest) => (manifest ? [[manifest.kind, manifest] as const] : [])));
}

const everything = {
  clickhouseCluster: 'farthing',
  clickhouseCaConfigMap: 'clickhouse-ca',
  metricsToken: true,
  secretsKey: true,
  imagePullSecrets: [{ name: 'registry' }],
  podAnnotations: { 'example.com/a': 'b' },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'x', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  ingress: { enabled: true, className: 'nginx', annotations: { a: 'b' }, host: 'costs.example.com', tlsSecret: 'tls' },
};

describe('the Helm chart', () => {
  test('has the version of the program', () => {
    const { version } = JSON.parse(readSource('package.json').text) as { version: string };
    expect(parseFile(`${chart}/Chart.yaml`)).toMatchObject({ appVersion: version });
  });

  test('renders with its values, and with every one of them set', () => {
    expect([...renderChart().keys()].sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'Job',
      'PodDisruptionBudget',
      'Service',
    ]);
    expect([...renderChart(everything).keys()]).toContain('Ingress');
  });

  test.each([{}, everything])('gives its processes settings that a start accepts', (changes) => {
    const manifests = renderChart(changes);
    const given = manifests.get('ConfigMap')?.data ?? {};
    for (const kind of ['Deployment', 'Job']) {
      const container = manifests.get(kind)?.spec.template.spec.containers[0];
      const names = container?.env.map(({ name }) => name) ?? [];
      const fromSecret = Object.entries(secrets).filter(([name]) => names.includes(name));
      expect(names).toHaveLength(fromSecret.length);
      const config = readConfig({ ...given, ...Object.fromEntries(fromSecret) });
      expect(config.postgresUrl).toBe(secrets.FARTHING_POSTGRES_URL);
      expect(config.clickhouseCluster).toBe('clickhouseCluster' in changes ? 'farthing' : undefined);
    }
  });

  test('lets its containers write only to their volumes, and stops them gracefully', () => {
    const manifests = renderChart(everything);
    for (const kind of ['Deployment', 'Job']) {
      const pod = manifests.get(kind)?.spec.template.spec;
      const container = pod?.containers[0];
      expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
      expect(container?.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(container?.args).toEqual([kind === 'Job' ? 'migrate' : 'serve']);
      expect(container?.volumeMounts.map(({ name }) => name)).toEqual(pod?.volumes.map(({ name }) => name));
      expect(container?.resources).toHaveProperty('limits.memory');
    }
    const deployment = manifests.get('Deployment');
    const container = deployment?.spec.template.spec.containers[0];
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: '/healthz' } },
      livenessProbe: { httpGet: { path: '/healthz' } },
      readinessProbe: { httpGet: { path: '/readyz' } },
      lifecycle: { preStop: { sleep: { seconds: 5 } } },
    });
    // The service takes at most 9 seconds (D13.3).
    expect(deployment?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(5 + 9);
    for (const kind of ['Deployment', 'PodDisruptionBudget']) {
      expect(deployment?.spec.template.metadata.labels).toMatchObject(
        manifests.get(kind)?.spec.selector.matchLabels ?? {},
      );
    }
    // The job is not one of the instances.
    expect(manifests.get('Job')?.spec.template.metadata.labels).not.toMatchObject(
      deployment?.spec.selector.matchLabels ?? {},
    );
  });
});

test('the image and systemd start the service by its launcher, as the command line does', () => {
  expect(readSource('deploy/Dockerfile').text).toMatch(/^ENTRYPOINT \["node", "\/app\/bin\/farthing\.js"\]$/m);
  expect(readSource('deploy/systemd/farthing.service').text).toContain(
    'ExecStart=/usr/bin/node /opt/farthing/bin/farthing.js serve',
  );
});

test('the systemd unit starts an existing file, with settings that a start accepts, and waits long enough for its stop', () => {
  const unit = readSource('deploy/systemd/farthing.service').text;
  const [, program = ''] = /^ExecStart=\S+ \/opt\/farthing\/(\S+) serve$/m.exec(unit) ?? [];
  expect(existsSync(join(root, program))).toBe(true);
  const env = Object.fromEntries(
    [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  expect(readConfig(env).dataDir).toBe('/var/lib/farthing');
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(9);
});
