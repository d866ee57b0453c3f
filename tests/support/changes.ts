// Makes a change in a project and the same change in the model.
import { expect } from 'vitest';
import type { Change } from './arbitraries/changes.ts';
import { wholeRange } from './client.ts';
import { addRevenue } from './margin.ts';
import type { ModelStore } from './model.ts';
import { changeTimezone, repriceDays } from './reprice.ts';
import { grantCredits, postEvents, type Stored, setPrices, tagsByName } from './stored-history.ts';

/** Returns the model of the project after the change. */
export async function makeChange(
  { project, model }: Stored,
  change: Change,
  ids: readonly string[],
): Promise<ModelStore> {
  const remove = async (path: string): Promise<void> => {
    const answer = await project.api('DELETE', path);
    expect([200, 204], answer.text).toContain(answer.status);
  };
  const { grants = [], revenue = [], keyMetrics = [] } = model;
  switch (change.kind) {
    case 'post events':
      return { ...model, events: [...model.events, ...(await postEvents(project, ids, change.events))] };
    case 'grant credits':
      return { ...model, grants: [...grants, ...(await grantCredits(project, change.grants))] };
    case 'delete a grant': {
      const gone = grants[change.which % grants.length];
      if (gone === undefined) return model;
      await remove(`/api/credit-grants/${gone.id}/`);
      return { ...model, grants: grants.filter((grant) => grant !== gone) };
    }
    case 'post revenue':
      await addRevenue(project, ...change.entries);
      return { ...model, revenue: [...revenue, ...change.entries] };
    case 'delete revenue': {
      const gone = revenue[change.which % revenue.length];
      if (gone === undefined) return model;
      await remove(`/api/revenue/${encodeURIComponent(gone.external_id)}/`);
      return { ...model, revenue: revenue.filter(({ external_id }) => external_id !== gone.external_id) };
    }
    case 'define key metrics': {
      for (const { name, ...definition } of change.metrics) await project.keyMetric(name, definition);
      const names = change.metrics.map(({ name }) => name);
      return { ...model, keyMetrics: [...keyMetrics.filter(({ name }) => !names.includes(name)), ...change.metrics] };
    }
    case 'delete a key metric': {
      const gone = keyMetrics[change.which % keyMetrics.length];
      if (gone === undefined) return model;
      await remove(`/api/key-metrics/${encodeURIComponent(gone.name)}/`);
      return { ...model, keyMetrics: keyMetrics.filter((metric) => metric !== gone) };
    }
    case 'tag customers': {
      if (change.tags.length === 0) return model;
      await project.tag(...change.tags.map(([customer_name, tags]) => ({ customer_name, tags })));
      return { ...model, customerTags: merged(model.customerTags, tagsByName(change.tags)) };
    }
    case 'tag users': {
      if (change.tags.length === 0) return model;
      await project.tagUsers(...change.tags.map(([user_name, tags]) => ({ user_name, tags })));
      return { ...model, userTags: merged(model.userTags ?? new Map(), tagsByName(change.tags)) };
    }
    case 'move to a timezone':
      await changeTimezone(project, change.timezone);
      return { ...model, timezone: change.timezone };
    case 'reprice':
      await setPrices(project, change.prices);
      await repriceDays(project, { ...wholeRange, dry_run: false });
      return { ...model, prices: change.prices };
  }
}

// Only the posted keys change (2.1).
function merged(before: ModelStore['customerTags'], posted: ModelStore['customerTags']): ModelStore['customerTags'] {
  const names = [...before.keys(), ...posted.keys()];
  return new Map(names.map((name) => [name, new Map([...(before.get(name) ?? []), ...(posted.get(name) ?? [])])]));
}
