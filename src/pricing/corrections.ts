import { type Snapshot, snapshotOf } from './catalogue.ts';
import type { Correction } from './catalogue-data.ts';
import { anthropicCorrections } from './corrections/anthropic.ts';
import { awsCorrections } from './corrections/aws.ts';
import { deepseekCorrections } from './corrections/deepseek.ts';
import { googleCorrections } from './corrections/google.ts';
import { mistralCorrections } from './corrections/mistral.ts';
import { openaiCorrections } from './corrections/openai.ts';
import { otherCorrections } from './corrections/others.ts';
import { xaiCorrections } from './corrections/x-ai.ts';
import { supplements } from './supplements.ts';

/**
 * Reviewed corrections of the catalogue package: wrong or stale entries and missing models. Each names the page that supports it:
 * the provider's own where a copy could be read, otherwise one that quotes it.
 * They are stored with every price book, so changing them changes no past number (D5.5, D5.7). Remove one when the package is right.
 */
export const corrections: readonly Correction[] = [
  ...openaiCorrections,
  ...anthropicCorrections,
  ...googleCorrections,
  ...awsCorrections,
  ...mistralCorrections,
  ...deepseekCorrections,
  ...xaiCorrections,
  ...otherCorrections,
];

/** The corrections and supplements of this version of Farthing, which are stored with every new price book. */
export function currentCorrections(): Snapshot {
  installedCorrections ??= snapshotOf([...corrections, ...supplements]);
  return installedCorrections;
}

let installedCorrections: Snapshot | undefined;
