import type { PlainAttributes } from '../../ecosystem.ts';
import { crewAi } from './crewai.ts';
import { openRouter } from './openrouter.ts';
import { requests } from './requests.ts';
import { resources } from './resources.ts';

/** The tables of emitters whose spans have the attributes of another ecosystem, or are no calls, beside their own. */
export const plainTables: readonly PlainAttributes[] = [crewAi, openRouter];

/** What has no emitter of its own. */
export const commonTables: readonly PlainAttributes[] = [requests, resources];
