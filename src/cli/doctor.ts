import { statfsSync, statSync } from 'node:fs';
import { Command } from 'commander';
import { readClientSettings } from '../config.ts';
import { version } from '../lib/version.ts';
import { AdminApi, type AdminOptions, asAdminCommand, ask, CommandError, serviceUrl } from './api.ts';
import { printJson, printTable, toCount } from './print.ts';

type Verdict = 'ok' | 'warning' | 'fault';

interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly detail: string;
}

const leastFreeBytes = 1_073_741_824;
const mostClockSkewMs = 5_000;
/** Of how many projects the coverage is asked for, and how many unpriced models are named. */
const mostProjects = 20;
const mostModels = 3;

/** `farthing doctor`: looks whether all is well, and says what to do where it is not. */
export function doctorCommand(): Command {
  const doctor = new Command('doctor')
    .description('Check the service, its stores, disk, clock and prices.')
    .action(async (options: AdminOptions) => {
      const findings = [...(await checkService(options)), ...checkDataDir()];
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
  const url = serviceUrl(options);
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

  const { checks = {}, warnings = [] } = (await ready.json().catch(() => ({}))) as {
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
  return [...findings, ...(await checkAsAdmin(options))];
}

/** What only the admin may see. */
async function checkAsAdmin(options: AdminOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    const api = new AdminApi(options);
    const { projects } = await api.get<{ projects: readonly { id: string }[] }>('/admin/projects/');
    const counted = `${projects.length} ${projects.length === 1 ? 'project' : 'projects'}`;
    findings.push({ check: 'admin token', verdict: 'ok', detail: `accepted; ${counted}` });
    findings.push(await checkCatalogue(api));
    const covered = projects.slice(0, mostProjects);
    const coverages = [];
    for (const { id } of covered) coverages.push(await api.ofProject(id).get<Coverage>('/api/coverage/'));
    const ofWhich = projects.length > mostProjects ? ` of the first ${mostProjects} projects` : '';
    findings.push(judgeCoverage(coverages, ofWhich));
  } catch (error) {
    const check = ['admin token', 'price catalogue', 'unpriced calls'][findings.length] ?? 'admin routes';
    findings.push({ check, verdict: 'fault', detail: error instanceof Error ? error.message : String(error) });
  }
  return findings;
}

async function checkCatalogue(api: AdminApi): Promise<Finding> {
  const { version: found, fetched_at: fetchedAt } = await api.get<{ version: string; fetched_at: string | null }>(
    '/admin/prices/update/',
  );
  const origin = fetchedAt === null ? 'of the installed package' : `fetched at ${fetchedAt}`;
  return { check: 'price catalogue', verdict: 'ok', detail: `version ${found}, ${origin}` };
}

interface Coverage {
  readonly calls: number;
  readonly unpriced_calls: number;
  readonly unpriced: readonly { readonly model: string; readonly calls: number }[];
}

/** The share of the last 30 days' calls that have no price, and of which models most of them are. */
function judgeCoverage(coverages: readonly Coverage[], ofWhich: string): Finding {
  const check = 'unpriced calls';
  const calls = coverages.reduce((sum, coverage) => sum + coverage.calls, 0);
  const unpriced = coverages.reduce((sum, coverage) => sum + coverage.unpriced_calls, 0);
  const period = `calls${ofWhich} in the last 30 days`;
  if (unpriced === 0) return { check, verdict: 'ok', detail: `none of ${toCount(calls)} ${period}` };
  const models = coverages
    .flatMap((coverage) => coverage.unpriced)
    .toSorted((a, b) => b.calls - a.calls)
    .map(({ model }) => model || '(no model)');
  const share = ((100 * unpriced) / calls).toFixed(1);
  const named = [...new Set(models)].slice(0, mostModels).join(', ');
  return {
    check,
    verdict: 'warning',
    detail: `${toCount(unpriced)} of ${toCount(calls)} ${period} (${share}%): ${named}; farthing prices set gives them a price`,
  };
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
