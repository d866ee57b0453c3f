import { z } from 'zod';
import {
  asOfField,
  filterField,
  identifyShared,
  includeSharedField,
  pageFields,
  parsePeriods,
  rangeFields,
  type TagFilter,
  tagFilterField,
} from '../asking/body.ts';
import { spellTags } from '../asking/call-filters.ts';
import { groupField, type TagGroup } from '../asking/group.ts';
import type { PeriodQuestion } from '../asking/page.ts';

export const performanceBody = z
  .strictObject({
    ...rangeFields,
    group_by: groupField({ dimensions: ['user'], tags: ['user_tag'] }).optional(),
    users: filterField.describe('Only these users.'),
    filter_users_based_on_features: filterField.describe(
      'Keeps only users that used any of these feature tags in the period; rows of other users are removed.',
    ),
    user_tags: tagFilterField.describe('Only users with these tags now.'),
    apply_credits: z.boolean().default(false).describe('Applies free AI credits to costs.'),
    include_shared: includeSharedField,
    as_of: asOfField,
    ...pageFields,
  })
  .meta({
    examples: [{ date_from: '2026-11-01', aggregate: 'month', group_by: 'user', user_tags: { team: 'support' } }],
  });

export interface UserFilters {
  readonly users: readonly string[] | undefined;
  readonly userTags: TagFilter | undefined;
  /** Only users with a call of one of these features, checked for each row (D9.3). */
  readonly features: readonly string[] | undefined;
}

export interface PerformanceQuestion extends PeriodQuestion<'user' | TagGroup<'user_tag'>> {
  readonly filters: UserFilters;
  readonly applyCredits: boolean;
  readonly includeShared: boolean;
}

export function parsePerformance(projectId: string, body: z.output<typeof performanceBody>): PerformanceQuestion {
  const { users, user_tags: userTags, filter_users_based_on_features: features, apply_credits: applyCredits } = body;
  const { include_shared: includeShared } = body;
  const own = [[users, spellTags(userTags), features], applyCredits, ...identifyShared(includeShared)];
  return {
    ...parsePeriods('performance', projectId, body, own),
    filters: { users, userTags, features },
    applyCredits,
    includeShared,
  };
}
