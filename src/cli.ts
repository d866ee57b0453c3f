import { Command, Help, type Option } from 'commander';
import { CommandError } from './cli/api.ts';
import { asTyped, calledAs } from './cli/called-as.ts';
import { toVisible } from './cli/print.ts';
import { ConfigError } from './config.ts';
import { version } from './lib/version.ts';

/** In the order of the help. A command is loaded only when it is named: most need a fifth of the code of `serve`. */
const commands = new Map<string, () => Promise<Command>>([
  ['serve', async () => (await import('./cli/serve.ts')).serveCommand()],
  ['engine', async () => (await import('./cli/engine.ts')).engineCommand()],
  ['migrate', async () => (await import('./cli/migrate.ts')).migrateCommand()],
  ['demo', async () => (await import('./cli/demo.ts')).demoCommand()],
  ['projects', async () => (await import('./cli/projects.ts')).projectsCommand()],
  ['clients', async () => (await import('./cli/clients.ts')).clientsCommand()],
  ['keys', async () => (await import('./cli/keys.ts')).keysCommand()],
  ['members', async () => (await import('./cli/members.ts')).membersCommand()],
  ['prices', async () => (await import('./cli/prices.ts')).pricesCommand()],
  ['budgets', async () => (await import('./cli/budgets.ts')).budgetsCommand()],
  ['closes', async () => (await import('./cli/closes.ts')).closesCommand()],
  ['revenue', async () => (await import('./cli/revenue.ts')).revenueCommand()],
  ['stripe', async () => (await import('./cli/stripe.ts')).stripeCommand()],
  ['alerts', async () => (await import('./cli/alerts.ts')).alertsCommand()],
  ['shared-costs', async () => (await import('./cli/shared-costs.ts')).sharedCostsCommand()],
  ['invoices', async () => (await import('./cli/invoices.ts')).invoicesCommand()],
  ['providers', async () => (await import('./cli/providers.ts')).providersCommand()],
  ['reconcile', async () => (await import('./cli/reconcile.ts')).reconcileCommand()],
  ['plans', async () => (await import('./cli/plans.ts')).plansCommand()],
  ['waste', async () => (await import('./cli/waste.ts')).wasteCommand()],
  ['next-steps', async () => (await import('./cli/next-steps.ts')).nextStepsCommand()],
  ['import', async () => (await import('./cli/import.ts')).importCommand()],
  ['export', async () => (await import('./cli/export.ts')).exportCommand()],
  ['mcp', async () => (await import('./cli/mcp.ts')).mcpCommand()],
  ['audit', async () => (await import('./cli/audit.ts')).auditCommand()],
  ['rebuild', async () => (await import('./cli/rebuild.ts')).rebuildCommand()],
  ['backup', async () => (await import('./cli/backup.ts')).backupCommand()],
  ['restore', async () => (await import('./cli/restore.ts')).restoreCommand()],
  ['move', async () => (await import('./cli/move.ts')).moveCommand()],
  ['doctor', async () => (await import('./cli/doctor.ts')).doctorCommand()],
]);

/** Options of many commands: help lists them after a command's own. */
const common: ReadonlySet<string> = new Set(['project', 'url', 'token', 'json', 'help']);

const program = new Command(calledAs)
  .description('What did every AI call cost, for which customer, user, feature and model, and did it pay?')
  .version(version)
  .addHelpText('after', '\nWith several projects, say which one with --project <id>.')
  .showHelpAfterError(`Try ${calledAs} --help.`);
const asked = commands.get(process.argv[2] ?? '');
// The help lists all of them.
for (const load of asked ? [asked] : commands.values()) program.addCommand(await load());
printAsTyped(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommandError || error instanceof ConfigError)) throw error;
  // The message may hold names of clients and projects with any characters in them: it is kept to one line.
  console.error(error instanceof CommandError ? toVisible(error.message) : error.message);
  process.exitCode = 1;
}

/** Has the help of a command name commands as they can be typed. Its errors quote what was typed, so they stay as they are. */
function printAsTyped(command: Command): void {
  command.configureHelp({
    visibleOptions: (of) => {
      const options = new Help().visibleOptions(of);
      const isCommon = (option: Option) => common.has(option.name());
      return [...options.filter((option) => !isCommon(option)), ...options.filter(isCommon)];
    },
  });
  command.configureOutput({
    writeOut: (text) => process.stdout.write(asTyped(text)),
    writeErr: (text) => process.stderr.write(asTyped(text)),
    outputError: (text) => process.stderr.write(text),
  });
  for (const one of command.commands) printAsTyped(one);
}
