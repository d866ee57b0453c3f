import { Command } from 'commander';
import { CommandError } from './cli/api.ts';
import { backupCommand } from './cli/backup.ts';
import { clientsCommand } from './cli/clients.ts';
import { demoCommand } from './cli/demo.ts';
import { doctorCommand } from './cli/doctor.ts';
import { engineCommand } from './cli/engine.ts';
import { exportCommand } from './cli/export.ts';
import { importCommand } from './cli/import.ts';
import { keysCommand } from './cli/keys.ts';
import { migrateCommand } from './cli/migrate.ts';
import { moveCommand } from './cli/move.ts';
import { pricesCommand } from './cli/prices.ts';
import { toVisible } from './cli/print.ts';
import { projectsCommand } from './cli/projects.ts';
import { rebuildCommand } from './cli/rebuild.ts';
import { restoreCommand } from './cli/restore.ts';
import { serveCommand } from './cli/serve.ts';
import { ConfigError } from './config.ts';
import { version } from './lib/version.ts';

const program = new Command('farthing')
  .description('What did every AI call cost, for which customer, user, feature and model, and did it pay?')
  .version(version)
  .showHelpAfterError('Try farthing --help.');
for (const command of [
  serveCommand(),
  engineCommand(),
  migrateCommand(),
  demoCommand(),
  projectsCommand(),
  clientsCommand(),
  keysCommand(),
  pricesCommand(),
  importCommand(),
  exportCommand(),
  rebuildCommand(),
  backupCommand(),
  restoreCommand(),
  moveCommand(),
  doctorCommand(),
]) {
  program.addCommand(command);
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommandError || error instanceof ConfigError)) throw error;
  // What clients and projects are called may stand in it: a fault stays one line all the same.
  console.error(error instanceof CommandError ? toVisible(error.message) : error.message);
  process.exitCode = 1;
}
