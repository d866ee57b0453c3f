import { Command } from 'commander';
import type { NextSteps } from '../alerting/advice/routes.ts';
import { printJson, printTable, toDollars } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

export function nextStepsCommand(): Command {
  return asProjectCommand(
    new Command('next-steps')
      .description('Show what is worth doing next, the largest amount first.')
      .action(showNextSteps),
    'farthing next-steps',
  );
}

async function showNextSteps(options: ProjectOptions): Promise<void> {
  const { api } = await openProject(options);
  const answer = await api.get<NextSteps>('/api/next-steps/');
  if (options.json) return printJson(answer);
  printTable(
    ['a month', 'about', 'why', 'on the page'],
    answer.steps.map(({ subject, amount_per_month: amount, reason, link }) => [
      toDollars(amount),
      subject,
      reason,
      link,
    ]),
  );
}
