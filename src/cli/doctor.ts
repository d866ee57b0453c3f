import { statfsSync, statSync } from 'node:fs';
import { Command } from 'commander';
import type { ProjectWire } from '../accounts/project-record.ts';
import { readClientSettings } from '../config.ts';
import { version } from '../lib/version.ts';
import type { CatalogueWire } from '../pricing/check/catalogue-update-routes.ts';
import { oldListDays } from '../pricing/further-list.ts';
import type { Coverage } from '../reports/coverage/wire.ts';
import type { Diagnosis } from '../server/operations/diagnosis.ts';
import { AdminApi, type AdminOptions, asAdminCommand, ask, CommandError, serviceUrl } from './api.ts';
import { asTyped } from './called-as.ts';
import { printJson, printTable, toCount } from './print.ts';

type Verdict = 'ok' | 'warn' | 'fail';

interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  /** The finding and, unless it is ok, what to do. */
  readonly detail: string;
  /** The command to run: apart, because the detail may quote what others have written. */
  readonly advice?: string;
}

/** Free bytes below which a disk is nearly full (warn), and below which events are about to be refused (fail). */
const lowFreeBytes = 5_368_709_120;
const leastFreeBytes = 536_870_912;
const mostClockSkewSeconds = 5;
/** The engine slows down inserts at 1,000 parts per partition and refuses them at 3,000. */
const manyParts = 300;
const tooManyParts = 1_000;
/** Answers wait for assembly for at most 10 seconds (D4.7). */
const slowAssemblySeconds = 2;
const stuckAssemblySeconds = 10;
const slowSealingSeconds = 3_600;
/** The most projects whose coverage is read, and the most unpriced models that are named. */
const mostProjects = 20;
const mostModels = 3;

export function doctorCommand(): Command {
  const doctor = new Command('doctor')
    .description(
      'Check the service, its stores and their parts, disks, clocks, prices, and the lag of assembly and sealing. ' +
        'Each check is ok, warn or fail; the exit code is 1 when one fails.',
    )
    .action(async (options: AdminOptions) => {
      const findings = [...(await checkService(options)), ...checkDataDir()];
      const told = findings.map(({ check, verdict, detail, advice }) => ({
        check,
        verdict,
        detail: advice === undefined ? detail : `${detail}; ${options.json ? advice : asTyped(advice)}`,
      }));
      if (options.json) printJson({ findings: told });
      else printTable(['check', '', 'finding'], told.map(Object.values<string>));
      const faults = findings.filter(({ verdict }) => verdict === 'fail').length;
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
    add('service', 'fail', error instanceof Error ? error.message : String(error));
    return findings;
  }
  const running = ready.headers.get('farthing-version') ?? 'unknown';
  add(
    'service',
    running === version ? 'ok' : 'warn',
    `version ${running} at ${url}${running === version ? '' : `; this command is ${version}`}`,
  );

  const { checks = {}, warnings = [] } = (await ready.json().catch(() => ({}))) as {
    checks?: Record<string, string>;
    warnings?: string[];
  };
  for (const [store, state] of Object.entries(checks)) {
    add(
      `store ${store}`,
      state === 'ok' ? 'ok' : 'fail',
      state === 'ok' ? state : `${state}: start it, or check the log`,
    );
  }
  for (const warning of warnings) add('engine', 'warn', warning);

  const skewSeconds = (Date.now() - Date.parse(ready.headers.get('date') ?? '')) / 1_000;
  // The Date header has whole seconds.
  findings.push(judgeClock('clock', Math.trunc(skewSeconds), 'this machine and the service'));
  return [...findings, ...(await checkAsAdmin(options))];
}

async function checkAsAdmin(options: AdminOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    const api = new AdminApi(options);
    const { projects } = await api.get<{ projects: readonly ProjectWire[] }>('/admin/projects/');
    const counted = `${projects.length} ${projects.length === 1 ? 'project' : 'projects'}`;
    findings.push({ check: 'admin token', verdict: 'ok', detail: `accepted; ${counted}` });
    const diagnosis = await api.get<Diagnosis>('/admin/diagnosis/');
    findings.push(...judgeDiagnosis(diagnosis));
    findings.push(await checkCatalogue(api, diagnosis.price_catalogue_since));
    findings.push(judgeProviders(diagnosis.provider_accounts), judgeSignIn(diagnosis.sign_in));
    const covered = projects.slice(0, mostProjects);
    const coverages = [];
    for (const { id } of covered) coverages.push(await api.ofProject(id).get<Coverage>('/api/coverage/'));
    const ofWhich = projects.length > mostProjects ? ` of the first ${mostProjects} projects` : '';
    findings.push(
      judgeLacking('unpriced calls', coverages, ofWhich, {
        count: ({ unpriced_calls: calls }) => calls,
        list: ({ unpriced }) => unpriced.map(({ calls, model }) => ({ calls, name: model || '(no model)' })),
      }),
      judgeLacking('partly priced calls', coverages, ofWhich, {
        count: ({ partly_priced_calls: calls }) => calls,
        list: ({ partly_priced: parts }) =>
          parts.map(({ calls, name, model }) => ({ calls, name: `${name} of ${model || '(no model)'}` })),
      }),
    );
  } catch (error) {
    const check = findings.length === 0 ? 'admin token' : 'admin routes';
    findings.push({ check, verdict: 'fail', detail: error instanceof Error ? error.message : String(error) });
  }
  return findings;
}

function judgeDiagnosis(found: Diagnosis): Finding[] {
  const { clickhouse, assembly_lag_seconds: lag, sealing_lag_seconds: sealing } = found;
  const parts = clickhouse.most_parts_of_a_partition;
  const waiting = `${found.waiting_rebuilds} rebuilds, ${found.waiting_erasures} erasures, ${found.waiting_purges} deleted projects`;
  return [
    judgeClock('clock clickhouse', clickhouse.clock_skew_seconds, 'the service and its analytic store'),
    judgeClock('clock control', found.control.clock_skew_seconds, 'the service and its control store'),
    {
      check: 'parts',
      verdict: parts >= tooManyParts ? 'fail' : parts >= manyParts ? 'warn' : 'ok',
      detail: `${toCount(clickhouse.active_parts)} active, at most ${toCount(parts)} per partition${parts >= manyParts ? '; merges are behind: post larger batches, or use a faster disk' : ''}`,
    },
    clickhouse.detached_parts === 0
      ? { check: 'detached parts', verdict: 'ok', detail: 'none' }
      : {
          check: 'detached parts',
          verdict: 'warn',
          detail: `${toCount(clickhouse.detached_parts)}: their data is rebuilt where possible; the warnings of /readyz say what is missing and what to do`,
        },
    judgeDisk('disk of the analytic store', clickhouse.free_bytes),
    {
      check: 'assembly',
      verdict: lag > stuckAssemblySeconds ? 'fail' : lag > slowAssemblySeconds ? 'warn' : 'ok',
      detail: `${lag.toFixed(1)} s behind${lag > slowAssemblySeconds ? '; check the log for the cause' : ''}`,
    },
    {
      check: 'sealing',
      verdict: sealing > slowSealingSeconds ? 'warn' : 'ok',
      detail: `${toCount(found.unsealed_days)} days wait, the first for ${Math.round(sealing)} s${sealing > slowSealingSeconds ? '; answers are correct but slower: check the log' : ''}`,
    },
    {
      check: 'waiting work',
      verdict: 'ok',
      detail: found.backups_under_way > 0 ? `${waiting}; deletions wait for a backup` : waiting,
    },
  ];
}

const judgeClock = (check: string, skewSeconds: number, between: string): Finding => {
  const isFar = Math.abs(skewSeconds) > mostClockSkewSeconds;
  return {
    check,
    verdict: isFar ? 'warn' : 'ok',
    detail: `${Math.abs(skewSeconds).toFixed(1)} s between ${between}${isFar ? '; synchronise both with NTP' : ''}`,
  };
};

const judgeDisk = (check: string, freeBytes: number): Finding => ({
  check,
  verdict: freeBytes < leastFreeBytes ? 'fail' : freeBytes < lowFreeBytes ? 'warn' : 'ok',
  detail: `${(freeBytes / 1e9).toFixed(1)} GB free${freeBytes < lowFreeBytes ? '; free some space, or events will be refused' : ''}`,
});

async function checkCatalogue(api: AdminApi, since: string | null): Promise<Finding> {
  const {
    version: found,
    fetched_at: fetchedAt,
    further_lists: lists,
  } = await api.get<CatalogueWire>('/admin/prices/update/');
  const ages = lists.map(({ list, version, age_days: age }) => `${list} ${version} (${toCount(age)} days)`).join(', ');
  const origin = fetchedAt === null ? 'that came with Farthing' : `fetched at ${fetchedAt}`;
  const days = since === null ? 0 : Math.floor((Date.now() - Date.parse(since)) / 86_400_000);
  const isOld = days > oldListDays;
  return {
    check: 'price catalogue',
    verdict: isOld ? 'warn' : 'ok',
    detail: `version ${found}, ${origin}${isOld ? `, in use for ${toCount(days)} days` : ''}${ages === '' ? '' : `; further lists: ${ages}`}`,
    ...(isOld && { advice: 'farthing prices update fetches a newer one' }),
  };
}

/** Provider accounts whose last read failed. */
function judgeProviders({ count, failing }: Diagnosis['provider_accounts']): Finding {
  const check = 'provider accounts';
  if (failing.length === 0) return { check, verdict: 'ok', detail: `${toCount(count)}, without a fault` };
  const named = failing.slice(0, mostModels).map(({ id, project, reason }) => `${id} of ${project}: ${reason}`);
  return { check, verdict: 'warn', detail: named.join('; '), advice: 'farthing providers says more' };
}

function judgeSignIn(found: Diagnosis['sign_in']): Finding {
  const check = 'sign-in';
  if (found === null) return { check, verdict: 'ok', detail: 'by one-time links' };
  if (found.fault === null) return { check, verdict: 'ok', detail: `with ${found.provider}` };
  return { check, verdict: 'warn', detail: `${found.fault}: check FARTHING_OIDC_ISSUER and the way to it` };
}

interface Lacking {
  readonly count: (coverage: Coverage) => number;
  readonly list: (coverage: Coverage) => readonly { readonly calls: number; readonly name: string }[];
}

/** The share of calls in the last 30 days that lack a price, whole or in part, and what most of them lack it for. */
function judgeLacking(check: string, coverages: readonly Coverage[], ofWhich: string, of: Lacking): Finding {
  const sum = (count: Lacking['count']) => coverages.reduce((total, coverage) => total + count(coverage), 0);
  const [calls, lacking] = [sum((coverage) => coverage.calls), sum(of.count)];
  const period = `calls${ofWhich} in the last 30 days`;
  if (lacking === 0) return { check, verdict: 'ok', detail: `none of ${toCount(calls)} ${period}` };
  const most = coverages.flatMap(of.list).sort((a, b) => b.calls - a.calls);
  const named = [...new Set(most.map(({ name }) => name))].slice(0, mostModels).join(', ');
  const share = ((100 * lacking) / calls).toFixed(1);
  return {
    check,
    verdict: 'warn',
    detail: `${toCount(lacking)} of ${toCount(calls)} ${period} (${share}%): ${named}`,
    advice: 'set their prices with farthing prices set',
  };
}

function checkDataDir(): Finding[] {
  const { dataDir } = readClientSettings();
  const check = 'data folder';
  try {
    const mode = statSync(dataDir).mode & 0o777;
    const { bavail, bsize } = statfsSync(dataDir);
    return [
      mode & 0o077
        ? { check, verdict: 'warn', detail: `others can read ${dataDir}: chmod 700 it` }
        : { check, verdict: 'ok', detail: dataDir },
      judgeDisk('disk', bavail * bsize),
    ];
  } catch {
    return [
      {
        check,
        verdict: 'warn',
        detail: `not found at ${dataDir}; set FARTHING_DATA_DIR if the service runs on this machine`,
      },
    ];
  }
}
