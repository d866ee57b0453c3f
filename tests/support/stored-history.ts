import { randomUUID } from 'node:crypto';
import { addGrant } from '../api/D7-credits/support.ts';
import { callIds, type History, type HistoryEvent, prices } from './arbitraries/history.ts';
import { expectStatus, type Farthing, type Json, type Project } from './client.ts';
import type { MetricEvent, ModelGrant, ModelPrice, ModelStore } from './model.ts';

export interface Stored {
  project: Project;
  model: ModelStore;
}

/** Posts a history to a project of its own, and puts the same into the model. */
export async function storeHistory(farthing: Farthing, past: History, projectFields: Json = {}): Promise<Stored> {
  const { timezone } = past;
  const project = await farthing.createProject({ timezone, ...projectFields });
  await setPrices(project, prices);
  if (past.customerTags.length > 0) {
    await project.tag(...past.customerTags.map(([customer_name, tags]) => ({ customer_name, tags })));
  }
  // Only an internal project has questions about users.
  if (project.record.type === 'internal' && past.userTags.length > 0) {
    await project.tagUsers(...past.userTags.map(([user_name, tags]) => ({ user_name, tags })));
  }
  const events: MetricEvent[] = [];
  const model = {
    timezone,
    prices,
    customerTags: tagsByName(past.customerTags),
    userTags: tagsByName(past.userTags),
    events,
  };
  const ids = makeCallIds();
  for (const batch of past.batches) events.push(...(await postEvents(project, ids, batch)));
  return { project, model };
}

/** Adds price overrides; they win over older ones. */
export async function setPrices(project: Project, table: readonly ModelPrice[]): Promise<void> {
  for (const { model, input, output, cacheRead } of table) {
    await project.addPrice({
      model,
      input_per_mtok: Number(input),
      output_per_mtok: Number(output),
      cache_read_per_mtok: Number(cacheRead),
    });
  }
}

/** The event ids for the call numbers of a history. */
export function makeCallIds(): string[] {
  return Array.from({ length: callIds }, () => randomUUID());
}

/** Posts events in one request, which must succeed, and returns the received events. */
export async function postEvents(
  project: Project,
  ids: readonly string[],
  batch: readonly HistoryEvent[],
): Promise<MetricEvent[]> {
  const events = batch.map((posted, index) => {
    const id = ids[posted.call] ?? randomUUID();
    const event: Json = { event_id: index % 5 === 4 ? id.toUpperCase() : id, ...posted.fields };
    return { event, posted };
  });
  const texts = events.map(({ event, posted }) => textOf(event, posted));
  expectStatus(await project.intake({ raw: `[${texts.join(',')}]` }), 200);
  const receivedAt = Date.now();
  return events.map(({ event, posted }) => ({ event, receivedAt, values: new Map(posted.values) }));
}

/** Makes grants one after the other, so that their ids decide their order where nothing else does (D7.2). */
export async function grantCredits(project: Project, grants: readonly Omit<ModelGrant, 'id'>[]): Promise<ModelGrant[]> {
  const granted: ModelGrant[] = [];
  for (const grant of grants) granted.push({ ...grant, id: (await addGrant(project, grant)).id });
  return granted;
}

/** The JSON text of an event. Members keep their spelling: JSON.stringify would respell their numbers. */
export function textOf(event: Json, { members = [] }: HistoryEvent): string {
  return [JSON.stringify(event).slice(0, -1), ...members].join(',').concat('}');
}

export function tagsByName(tags: [string, Record<string, string>][]): Map<string, Map<string, string>> {
  return new Map(tags.map(([name, found]) => [name, new Map(Object.entries(found))]));
}
