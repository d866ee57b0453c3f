import { Command } from 'commander';
import { serveCommand } from './cli/serve.ts';
import { version } from './lib/version.ts';

const program = new Command('farthing')
  .description('What did every AI call cost, for which customer, user, feature and model, and did it pay?')
  .version(version)
  .showHelpAfterError('Try farthing --help.');

program.addCommand(serveCommand());

await program.parseAsync();
