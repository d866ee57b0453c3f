import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Logger } from 'pino';
import { type Config, readConfig } from '../config.ts';
import { dayOf } from '../lib/days.ts';
import { newSecret } from '../lib/ids.ts';
import { createCommandLogger } from '../lib/logger.ts';
import { type Service, startService } from '../main.ts';
import { beginCopy, CopyRefused, completeCopy, copyPart, releaseCopy } from '../server/backup/copy-in.ts';
import { noteMoved } from '../server/backup/moved.ts';
import { openStores } from '../server/stores.ts';
import { AdminApi, CommandError, serviceUrl, toCommandError } from './api.ts';
import { inParallel, readControlLines, withBackup, withRetries } from './backup-source.ts';
import { printJson, toCount } from './print.ts';
import { startBar } from './progress-bar.ts';
import { sampleQuestions } from './sample-questions.ts';

interface MoveOptions {
  readonly toClickhouse: string;
  readonly toPostgres: string;
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

interface Copied {
  readonly events: number;
  /** The events copied by this run and not by an earlier one. */
  readonly copied: number;
}

/** All runs of the command continue the same copy. */
const copyId = 'move';
/** The most projects whose answers are compared before and after. */
const mostProjects = 50;

export function moveCommand(): Command {
  return new Command('move')
    .description(
      'Move all data of a data folder to a ClickHouse and a PostgreSQL server. Run it while the service is up, as often as you like: ' +
        'each run copies new events. Then stop the service and run it once more: it copies the rest, assembles the calls, and compares answers.',
    )
    .requiredOption('--to-clickhouse <url>', 'http://user:password@host:8123/database, without data of Farthing')
    .requiredOption('--to-postgres <url>', 'postgres://user:password@host/database, without data of Farthing')
    .option('--url <url>', 'address of the service (default: FARTHING_URL, else http://127.0.0.1:8787)')
    .option('--token <token>', 'the admin token (default: FARTHING_ADMIN_TOKEN, else the file in FARTHING_DATA_DIR)')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  farthing move --to-clickhouse http://farthing:…@ch:8123/farthing --to-postgres postgres://farthing:…@pg/farthing',
    )
    .action(runMove);
}

async function runMove(options: MoveOptions): Promise<void> {
  const config = readConfig();
  if (config.clickhouseUrl !== undefined || config.postgresUrl !== undefined) {
    throw new CommandError(
      'FARTHING_CLICKHOUSE_URL or FARTHING_POSTGRES_URL is set: run this with the settings of the service to move, which uses embedded stores.',
    );
  }
  const target = { ...config, ...readConfigOfTarget(options) };
  const logger = createCommandLogger();
  try {
    if (await isUp(serviceUrl(options))) await copyWhileUp(options, target, logger);
    else await moveAll(options, config, target, logger);
  } catch (error) {
    if (error instanceof CopyRefused) throw new CommandError(error.message, { cause: error });
    toCommandError('The move was cut off')(error);
  }
}

/** Both URLs, checked like the settings of a service. */
function readConfigOfTarget({ toClickhouse, toPostgres }: MoveOptions): Pick<Config, 'clickhouseUrl' | 'postgresUrl'> {
  const { clickhouseUrl, postgresUrl } = readConfig({
    FARTHING_CLICKHOUSE_URL: toClickhouse,
    FARTHING_POSTGRES_URL: toPostgres,
  });
  return { clickhouseUrl, postgresUrl };
}

const isUp = async (url: string): Promise<boolean> =>
  await fetch(`${url}/healthz`).then(
    (answer) => answer.ok,
    () => false,
  );

async function copyWhileUp(options: MoveOptions, target: Config, logger: Logger): Promise<void> {
  const { events, copied } = await copyAll(new AdminApi(options), target, logger, { isLast: false });
  if (options.json) printJson({ state: 'copied', events, copied });
  else
    console.log(
      `${toCount(events)} events are copied, ${toCount(copied)} of them by this run. The service runs as before. To finish, stop it and run this command again.`,
    );
}

async function moveAll(options: MoveOptions, config: Config, target: Config, logger: Logger): Promise<void> {
  const { dataDir } = config;
  if (!existsSync(join(dataDir, 'control.sqlite'))) {
    throw new CommandError(
      `No service answers at ${serviceUrl(options)}, and ${dataDir} has no data of a service: set FARTHING_DATA_DIR, or give --url.`,
    );
  }
  // No client knows this service's port, so no event is acknowledged while it holds the data folder.
  const adminToken = newSecret('fa');
  const settings = { host: '127.0.0.1', port: 0, intakePort: undefined, adminToken };
  const start = async (one: Config, isTrial: boolean) =>
    await startService({ ...one, ...settings }, { logger, terminal: { write: () => undefined }, isTrial });
  const before = await start(config, false).catch((cause: unknown) => {
    throw new CommandError(
      (cause as NodeJS.ErrnoException).code === 'in_use'
        ? `A service uses the data folder ${dataDir} but does not answer at ${serviceUrl(options)}: give --url, or stop the service.`
        : `The data folder ${dataDir} cannot be opened: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  });
  let after: Service | undefined;
  try {
    const source = new AdminApi({ url: before.url, token: adminToken });
    const { events, copied } = await copyAll(source, target, logger, { isLast: true });
    after = await start(target, true);
    const compared = await compareAnswers(source, new AdminApi({ url: after.url, token: adminToken }));
    await after.stop();
    after = undefined;
    const stores = await openStores(target, logger);
    await releaseCopy(stores).finally(() => stores.close());
    noteMoved(dataDir, Date.now());
    if (options.json) printJson({ state: 'moved', events, copied, compared });
    else
      console.log(
        `${toCount(events)} events are moved, and ${toCount(compared)} answers are the same before and after. Start the service with FARTHING_CLICKHOUSE_URL and FARTHING_POSTGRES_URL. The data folder still has the old data.`,
      );
  } finally {
    await after?.stop();
    await before.stop();
  }
}

/** Copies the parts that the target lacks; on the last run also the control store, which completes the target. */
async function copyAll(
  source: AdminApi,
  target: Config,
  logger: Logger,
  { isLast }: { readonly isLast: boolean },
): Promise<Copied> {
  const stores = await openStores(target, logger).catch(toCommandError('The servers cannot be used'));
  try {
    await beginCopy(stores, copyId);
    return await withBackup(source, async (backup) => {
      const { parts, frozen, events } = backup;
      const bar = startBar(
        events,
        'Interrupted. Run the same command again; the data folder is unchanged.',
        '{bar} {percentage}% | {value} of {total} events | {eta_formatted} left',
      );
      let copied = 0;
      try {
        await inParallel(parts, async (part, index) => {
          const outcome = await withRetries(
            () => copyPart(stores, part, frozen, () => backup.part(index)),
            (error) => error instanceof CopyRefused || error instanceof CommandError,
          );
          if (part.table !== 'events') return;
          bar.advance(part.rows);
          if (outcome === 'copied') copied += part.rows;
        });
      } finally {
        bar.stop();
      }
      if (isLast)
        await completeCopy(stores, backup, readControlLines(await backup.control()), {
          command: 'move',
          backup: backup.id,
        });
      return { events, copied };
    });
  } finally {
    await stores.close();
  }
}

/**
 * Sends the same requests to both services, and returns how many answers were compared.
 * @throws CommandError at the first difference
 */
async function compareAnswers(before: AdminApi, after: AdminApi): Promise<number> {
  const { projects } = await before.get<{
    projects: readonly { id: string; name: string; type: 'revenue' | 'internal'; timezone: string }[];
  }>('/admin/projects/');
  const asked = projects
    .slice(0, mostProjects)
    .flatMap((project) =>
      sampleQuestions(project.type, dayOf(project.timezone, Date.now())).map((question) => ({ project, question })),
    );
  if (!process.stderr.isTTY) console.error(`Assembling the calls and comparing ${toCount(asked.length)} answers.`);
  const bar = startBar(
    asked.length,
    'Interrupted. Run the same command again; the data folder is unchanged.',
    '{bar} {percentage}% | {value} of {total} answers compared',
  );
  try {
    await inParallel(asked, async ({ project, question }) => {
      const [expected, found] = await Promise.all(
        [before, after].map((api) => answerOnceCaughtUp(api.ofProject(project.id), question)),
      );
      if (found !== expected) {
        throw new CommandError(
          `The answer to ${question.method} ${question.path} of the project ${project.id} differs after the move: ${JSON.stringify(question.body ?? {})}. The data folder has not changed, and the service can be started on it again.`,
        );
      }
      bar.advance(1);
    });
  } finally {
    bar.stop();
  }
  return asked.length;
}

/** Waits while the service assembles its calls, then returns its answer. */
async function answerOnceCaughtUp(api: AdminApi, question: Parameters<AdminApi['answer']>[0]): Promise<string> {
  for (;;) {
    try {
      return await api.answer(question);
    } catch (error) {
      if (!(error instanceof CommandError) || error.code !== 'catching_up') throw error;
      await sleep(1_000);
    }
  }
}
