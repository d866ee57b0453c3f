import { faultsOfAlerts } from './alerts.ts';
import { faultsOfAnalytics } from './analytics.ts';
import { faultsOfAnomalies } from './anomalies.ts';
import { faultsOfBudgets } from './budgets.ts';
import { faultsOfCalls } from './calls.ts';
import { faultsOfChanges } from './changes.ts';
import { faultsOfCli } from './cli.ts';
import { faultsOfCloses } from './closes.ts';
import { faultsOfDashboard } from './dashboard.ts';
import { faultsOfEdges } from './edges.ts';
import { faultsOfExports } from './exports.ts';
import { faultsOfGateways } from './gateways.ts';
import { faultsOfInvoices } from './invoices.ts';
import { faultsOfTheJournal } from './journal.ts';
import { faultsOfMcp } from './mcp.ts';
import { faultsOfMoney } from './money.ts';
import { faultsOfNotifications } from './notifications.ts';
import { faultsOfOpenData } from './open.ts';
import type { PlantedFault } from './planted-fault.ts';
import { faultsOfStores } from './stores.ts';
import { faultsOfStripe } from './stripe.ts';
import { faultsOfTelemetry } from './telemetry.ts';
import { faultsOfWaste } from './waste.ts';

/** Every fault of scripts/planted-faults.ts, by area of `src`. */
export const plantedFaults: readonly PlantedFault[] = [
  ...faultsOfCalls,
  ...faultsOfAnalytics,
  ...faultsOfChanges,
  ...faultsOfWaste,
  ...faultsOfBudgets,
  ...faultsOfAnomalies,
  ...faultsOfAlerts,
  ...faultsOfCloses,
  ...faultsOfMcp,
  ...faultsOfMoney,
  ...faultsOfInvoices,
  ...faultsOfStripe,
  ...faultsOfEdges,
  ...faultsOfTheJournal,
  ...faultsOfGateways,
  ...faultsOfExports,
  ...faultsOfStores,
  ...faultsOfCli,
  ...faultsOfDashboard,
  ...faultsOfTelemetry,
  ...faultsOfNotifications,
  ...faultsOfOpenData,
];

/** How often the code that a fault changes is in the text of its file. */
export const countPlaces = ({ find }: Pick<PlantedFault, 'find'>, text: string): number => text.split(find).length - 1;

/** The text of the file with the fault in it. */
export const plant = ({ find, replace }: Pick<PlantedFault, 'find' | 'replace'>, text: string): string =>
  text.split(find).join(replace);
