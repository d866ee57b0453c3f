import { byName } from '../../lib/by-name.ts';
import { byPlural, callDimensions, dimensionNames, dimensions } from '../../lib/dimensions.ts';
import type { LinkSearch } from '../../lib/link-path.ts';
import { isTagGroup } from '../asking/group.ts';

/** Where the dashboard shows the answer to a question. A `from` without `to` means until today. */
export interface DashboardPlace {
  readonly steps: readonly string[];
  readonly search?: LinkSearch;
}

/** The dashboard's page for rows grouped by a dimension. The overview shows periods and all that has no page of its own. */
const pageOf: Readonly<Record<string, string>> = byName(dimensionNames, (name) => dimensions[name].page);

/** Costs, margin and usage, by period and by one dimension. */
export function ofBreakdown(asked: Asked): DashboardPlace {
  const { group_by: by } = asked;
  const page = isTagGroup(by) ? 'models' : typeof by === 'string' ? pageOf[by] : undefined;
  return { steps: page === undefined ? [] : [page], search: toSearch(asked) };
}

/** A tag of customers has its margins where they have. */
export function ofMargin(asked: Asked): DashboardPlace {
  const place = ofBreakdown(asked);
  return isTagGroup(asked.group_by) ? { ...place, steps: ['customers'] } : place;
}

/** Why costs changed, by what the changes are listed by. */
export const ofChanges = (asked: Asked): DashboardPlace => ({
  steps: [],
  search: { ...toSearch(asked), by: undefined, changes: asked.group_by },
});

export const ofUsers = (asked: Asked): DashboardPlace => ({ steps: ['users'], search: toSearch(asked) });

export const ofOverview = (asked: Asked): DashboardPlace => ({ steps: [], search: toSearch(asked) });

/** The calls of a question, or those of a row. The days and value of a row replace those of the question. */
export function ofCalls(asked: Asked): DashboardPlace {
  const row = toFields(asked.row);
  const values = callDimensions.flatMap((name) =>
    row[name] === undefined ? [] : [[dimensions[name].plural, [row[name]]] as const],
  );
  const days = row.date_from === undefined ? {} : { from: row.date_from, to: row.date_to };
  const ofTag = isTagGroup(row.group_by) ? { of: JSON.stringify([row.group_by, row.tag]) } : {};
  return { steps: ['calls'], search: { ...toSearch(asked), ...Object.fromEntries(values), ...days, ...ofTag } };
}

export const ofCall = ({ event_id: id, ordinal }: Asked): DashboardPlace => ({
  steps: ['calls', String(id)],
  search: { q: ordinal },
});

export const ofWaste = (asked: Asked): DashboardPlace => ({
  steps: ['waste'],
  search: { ...toSearch(asked), swap: asked.alternatives },
});

export const ofPlans = (asked: Asked): DashboardPlace => ({
  steps: ['plans'],
  search: { ...toSearch(asked), sheet: { tag: asked.plan_tag, target: asked.target_margin_pct } },
});

/** The dashboard's sheet takes the plans as they are asked. */
export const ofSimulation = (asked: Asked): DashboardPlace => ({
  steps: ['plans'],
  search: { ...toSearch(asked), sheet: { plans: asked.plans, target: asked.target_margin_pct } },
});

/** The dashboard's page of a reconciliation shows one month. */
export const ofReconciliation = ({ date_from: from, group_by: by }: Asked): DashboardPlace => ({
  steps: ['reconciliation'],
  search: { month: String(from).slice(0, 7), reconciled: by },
});

/** The days, filters and granularity of a question, with the names that the dashboard uses. */
function toSearch(asked: Asked): LinkSearch {
  const { aggregate, group_by: by } = asked;
  return {
    from: asked.date_from,
    to: asked.date_to,
    every: aggregate === 'all' ? undefined : aggregate,
    // Only the page of models has two dimensions.
    by: by === 'provider' || isTagGroup(by) ? by : undefined,
    credits: asked.apply_credits === true ? true : undefined,
    shared: asked.include_shared === true ? true : undefined,
    ...byPlural(dimensionNames, (name) => asked[dimensions[name].plural]),
    features: asked.features ?? asked.filter_customers_based_on_features ?? asked.filter_users_based_on_features,
    ctags: toTags(asked.customer_tags),
    rtags: toTags(asked.run_tags),
    utags: toTags(asked.user_tags),
    // Without one, the page lists the newest first.
    order: asked.order === 'newest' ? undefined : asked.order,
    as_of: asked.as_of,
  };
}

/** A tag filter with a list for each key. A question may have a single text instead of a list. */
const toTags = (tags: unknown): unknown =>
  tags === undefined
    ? undefined
    : Object.fromEntries(Object.entries(toFields(tags)).map(([key, values]) => [key, [values].flat()]));

/** The arguments of a question, as an assistant sends them, or the fields of an answer. The route validates them. */
export type Asked = Readonly<Record<string, unknown>>;

/** The fields of an object; none for any other value. */
export const toFields = (value: unknown): Asked => (typeof value === 'object' && value !== null ? { ...value } : {});
