import { definitions } from '../../../src/alerting/kinds/kinds.ts';
import type { KindDefinition } from '../../../src/alerting/rule/kind.ts';
import type { AlertKind } from '../api/types.ts';

/** The kinds of alerts, in the order of the page. */
export const kinds: Readonly<Record<AlertKind, KindDefinition>> = definitions;

export const alertKinds = Object.keys(kinds) as readonly AlertKind[];

export const kindLabels = Object.fromEntries(alertKinds.map((kind) => [kind, kinds[kind].label])) as Readonly<
  Record<AlertKind, string>
>;
