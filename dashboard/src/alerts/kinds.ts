import type { KindDefinition } from '../../../src/alerting/alerts/kinds/kind.ts';
import { definitions } from '../../../src/alerting/alerts/kinds/kinds.ts';
import type { AlertKind } from '../api/types.ts';

/** The kinds of alerts, in the order of the page. */
export const kinds: Readonly<Record<AlertKind, KindDefinition>> = definitions;

export const alertKinds = Object.keys(kinds) as readonly AlertKind[];

export const kindLabels = Object.fromEntries(alertKinds.map((kind) => [kind, kinds[kind].label])) as Readonly<
  Record<AlertKind, string>
>;
