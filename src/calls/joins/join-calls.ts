import { stepsInTurns } from '../../lib/in-turns.ts';
import type { Slices } from '../../lib/slices.ts';
import { mergeTags, saidBy } from '../events/merge-tags.ts';
import type { PlainSpan } from '../events/plain-span.ts';
import { type MergedCall, readAs } from '../merging/merge.ts';
import { type Component, componentsOf } from './components.ts';
import { joinReports, type Request } from './join-reports.ts';
import { fullestModel } from './model-family.ts';
import { type Report, toReport } from './report.ts';
import { asWrapperOf } from './wrapper.ts';

export interface JoinSettings {
  /** The generations of the rereads whose contents count. */
  readonly rereads: ReadonlySet<number>;
  /** Whether reports that share no id are joined where they are alike (D27.6). */
  readonly joinsAlike: boolean;
  /** Calls that share no key with others, unless a reread reads them otherwise. */
  readonly alone?: ReadonlySet<MergedCall>;
}

/**
 * The calls of a project, where several are reports of one request, as one that counts and its wrappers. The one that
 * counts takes the tags and terms that it lacks from the others (D27.6). `calls` are all that share a key with one of
 * them, and `spans` those around them.
 */
export async function joinCalls(
  calls: readonly MergedCall[],
  spans: readonly PlainSpan[],
  { rereads, joinsAlike, alone }: JoinSettings,
): Promise<MergedCall[]> {
  const read = rereads.size === 0 ? [...calls] : calls.map((call) => readAs(call, rereads));
  const mayJoin = alone === undefined || rereads.size > 0 ? read : read.filter((call) => !alone.has(call));
  const reports = mayJoin.flatMap((call) => toReport(call) ?? []);
  if (reports.length === 0) return read;
  const joined = await stepsInTurns(joinAll(componentsOf(reports, spans), joinsAlike));
  return read.map((call) => joined.get(call) ?? call);
}

/** The calls that are others once reports are joined. */
function* joinAll(components: readonly Component[], joinsAlike: boolean): Slices<Map<MergedCall, MergedCall>> {
  const joined = new Map<MergedCall, MergedCall>();
  for (const component of components) {
    const { requests, sums, doubles } = yield* joinReports(component.reports, component.spans, { joinsAlike });
    for (const request of requests) {
      const { counts, others } = request;
      const alike = doubles.has(request) ? 'apart' : others.some(({ by }) => by === 'likeness') ? 'joined' : undefined;
      joined.set(counts.call, markAlike(complete(request), alike));
      for (const { report } of others) joined.set(report.call, asWrapperOf(report.call, counts.call));
      yield;
    }
    for (const { report, first } of sums) joined.set(report.call, asWrapperOf(report.call, first.call));
  }
  return joined;
}

/** The most tags of a call that is joined from several reports. */
const maxTags = 200;

/** What a report says of itself alone: no other takes it over. */
const ownFields: ReadonlySet<string> = new Set([
  'origin',
  'weak_tags',
  'elapsed_ms',
  'error_type',
  'aborted',
  'trace_id',
  'run_id',
  'session_id',
  'unknown_usage',
  'num_requests',
  'may_be_sum',
  'usage_not_reported',
  'gateway_cache',
  'withdrawn',
]);

/** The field that says what likeness made of a call, for coverage. No event of the log has it. */
const alikeField = 'alike';

/** What likeness alone made of a call: it joined others to it, or the project has left it apart from another. */
export type Alike = '' | 'joined' | 'apart';

const markAlike = (call: MergedCall, alike: Exclude<Alike, ''> | undefined): MergedCall =>
  alike === undefined ? call : { ...call, fields: { ...call.fields, [alikeField]: alike } };

export const alikeOf = ({ fields: { [alikeField]: alike } }: MergedCall): Alike =>
  alike === 'joined' || alike === 'apart' ? alike : '';

function complete({ counts, others, around }: Request): MergedCall {
  const { call } = counts;
  if (others.length === 0 && around.length === 0) return call;
  const fields = { ...call.fields };
  for (const { report } of others) {
    for (const [name, text] of Object.entries(report.call.fields)) {
      if (!ownFields.has(name) && fields[name] === undefined) fields[name] = text;
    }
  }
  const all = [counts, ...others.map(({ report }) => report)];
  const model = fullestModel(all.map((report) => report.model));
  if (model !== '') fields.model = model;
  // What an application's own event says wins over what its libraries pass on.
  const eventsFirst = all.toSorted((a, b) => Number(b.scope === '') - Number(a.scope === ''));
  const tags = mergeTags([...eventsFirst.map((report) => saidBy(report.call)), ...around], maxTags);
  if (others.length === 0) return { ...call, fields, tags };
  const reports = others.map(({ report, by }) => toOther(report, by));
  return { ...call, fields, tags, reports };
}

const toOther = ({ call: { eventId, ordinal }, emitter }: Report, by: Request['others'][number]['by']) => ({
  eventId,
  ordinal,
  emitter,
  by,
});
