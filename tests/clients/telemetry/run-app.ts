import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Project } from '../../support/client.ts';

const traces = z.record(z.string(), z.string());

interface AppRun {
  /** The trace of each scenario. */
  readonly traces: Readonly<Record<string, string>>;
  /** The error output. */
  readonly complaints: string;
}

/** Runs an app, by its path, with the settings that D14.1 names. */
export async function runApp(
  project: Project,
  providerUrl: string,
  app: string,
  { args = [], resource = 'service.name=shop' }: { args?: readonly string[]; resource?: string },
): Promise<AppRun> {
  const path = fileURLToPath(new URL(app, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PROVIDER_URL: providerUrl,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${project.farthing.url}/intake/${project.clientId}`,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${project.secret}`,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_RESOURCE_ATTRIBUTES: resource,
      // Only the environment sets up the app of OpenTelemetry's own instrumentation.
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_LOG_LEVEL: 'warn',
    },
  });
  let [output, complaints] = ['', ''];
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.on('data', (data) => {
    complaints += data;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${app} ended with ${code}: ${complaints}`);
  return { traces: traces.parse(JSON.parse(output.trim().split('\n').at(-1) ?? '')), complaints };
}
