import { statfsSync, statSync } from 'node:fs';
import { Command } from 'commander';
import { readClientSettings } from '../config.ts';
import { version } from '../lib/version.ts';
import { installedCatalogue } from '../pricing/catalogue.ts';
import { AdminApi, type AdminOptions, asAdminCommand, ask, CommandError } from './api.ts';
import { printJson, printTable } from './print.ts';

type Verdict = 'ok' | 'warning' | 'fault';

interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly detail: string;
}

const leastFreeBytes = 1_073_741_824;
const mostClockSkewMs = 5_000;

/** `farthing doctor`: looks whether all is well, and says what to do where it is not. */
export function doctorCommand(): Command {
  const doctor = new Command('doctor')
    .description('Check the service, its stores, disk, clock and prices.')
    .action(async (options: AdminOptions) => {
      const findings = [...(await checkService(options)), ...checkDataDir(), checkPrices()];
      if (options.json) printJson({ findings });
      else
        printTable(
          ['check', '', 'what was found'],
          findings.map(({ check, verdict, detail }) => [check, verdict, detail]),
        );
      const faults = findings.filter(({ verdict }) => verdict === 'fault').length;
      if (faults > 0) throw new CommandError(`${faults === 1 ? 'One fault' : `${faults} faults`} found.`);
    });
  return asAdminCommand(doctor, 'farthing doctor');
}

async function checkService(options: AdminOptions): Promise<Finding[]> {
  const url = (options.url ?? readClientSettings().url).replace(/\/+$/, '');
  const findings: Finding[] = [];
  const add = (check: string, verdict: Verdict, detail: string) => findings.push({ check, verdict, detail });
  let ready: Response;
  try {
    ready = await ask(`${url}/readyz`);
  } catch (error) {
    add('service', 'fault', error instanceof Error ? error.message : String(error));
    return findings;
  }
  const running = ready.headers.get('farthing-version') ?? 'unknown';
  add(
    'service',
    running === version ? 'ok' : 'warning',
    `version ${running} at ${url}${running === version ? '' : `; this command is ${version}`}`,
  );

  const { checks = {}, warnings = [] } = (await ready.json()) as {
    checks?: Record<string, string>;
    warnings?: string[];
  };
  for (const [store, state] of Object.entries(checks)) add(`store ${store}`, state === 'ok' ? 'ok' : 'fault', state);
  for (const warning of warnings) add('engine', 'warning', warning);

  const skewMs = Math.abs(Date.now() - Date.parse(ready.headers.get('date') ?? ''));
  add(
    'clock',
    skewMs <= mostClockSkewMs ? 'ok' : 'warning',
    `${Math.round(skewMs / 1_000)} s between this machine and the service`,
  );
  try {
    const { projects } = await new AdminApi(options).get<{ projects: unknown[] }>('/admin/projects/');
    add('admin token', 'ok', `accepted; ${projects.length} ${projects.length === 1 ? 'project' : 'projects'}`);
  } catch (error) {
    add('admin token', 'fault', error instanceof Error ? error.message : String(error));
  }
  return findings;
}

function checkDataDir(): Finding[] {
  const { dataDir } = readClientSettings();
  const check = 'data folder';
  try {
    const mode = statSync(dataDir).mode & 0o777;
    const { bavail, bsize } = statfsSync(dataDir);
    const free = bavail * bsize;
    return [
      mode & 0o077
        ? { check, verdict: 'warning', detail: `others can read ${dataDir}: chmod 700 it` }
        : { check, verdict: 'ok', detail: dataDir },
      {
        check: 'disk',
        verdict: free < leastFreeBytes ? 'warning' : 'ok',
        detail: `${(free / 1e9).toFixed(1)} GB free`,
      },
    ];
  } catch {
    return [
      {
        check,
        verdict: 'warning',
        detail: `there is none at ${dataDir}; set FARTHING_DATA_DIR if the service runs on this machine`,
      },
    ];
  }
}

function checkPrices(): Finding {
  return { check: 'price catalogue', verdict: 'ok', detail: `version ${installedCatalogue().version}` };
}
