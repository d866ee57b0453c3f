import { type Said, saidBy } from '../events/merge-tags.ts';
import type { PlainSpan } from '../events/plain-span.ts';
import type { Report } from './report.ts';

/** More spans around a call are not looked at. */
const maxDepth = 64;

/** How far apart in time a report and a span around it may be, in milliseconds: calls may be in the background. */
export const aroundMs = 3_600_000;

/** The same of two reports: a trace may have many. */
export const insideMs = 60_000;

type Span = Report | PlainSpan;

/** Spans further apart are not found in other exports, so they are not looked at in the same one either. */
function areNear(report: Report, span: Span): boolean {
  const reachMs = 'call' in span ? insideMs : aroundMs;
  return report.startMs <= span.endMs + reachMs && span.startMs <= report.endMs + reachMs;
}

/** The spans of traces: which reports are inside which, also through spans that are no calls. */
export class SpanTree {
  readonly #reports = new Map<string, Report>();
  readonly #plain = new Map<string, PlainSpan>();
  /** The only record that tells of each span. */
  readonly #told = new Map<string, Report | undefined>();
  /** The only span of each trace that has none around it. */
  readonly #roots = new Map<string, Span | undefined>();
  readonly #outer = new Map<Report, Report | undefined>();
  readonly #inside = new Map<Report, Report[]>();

  constructor(reports: readonly Report[], plain: readonly PlainSpan[]) {
    for (const report of reports) if (report.span !== '') this.#reports.set(report.trace + report.span, report);
    for (const span of plain) for (const id of [span.span, ...span.inside]) this.#plain.set(span.trace + id, span);
    for (const report of reports) if (report.tells) noteOnly(this.#told, report.trace + report.parent, report);
    for (const span of [...reports, ...plain]) if (span.parent === '') noteOnly(this.#roots, span.trace, span);
    for (const report of reports) {
      const outer = this.#findOuter(report);
      this.#outer.set(report, outer);
      if (outer === undefined) continue;
      const inside = this.#inside.get(outer);
      if (inside === undefined) this.#inside.set(outer, [report]);
      else inside.push(report);
    }
  }

  /** The report around this one, the nearest; undefined if none is. */
  outerOf(report: Report): Report | undefined {
    return this.#outer.get(report);
  }

  /** The reports of which this one is the nearest around. */
  inside(report: Report): readonly Report[] {
    return this.#inside.get(report) ?? [];
  }

  /** The number of reports around this one. */
  depthOf(report: Report): number {
    let depth = 0;
    for (let at = this.outerOf(report); at !== undefined && depth < maxDepth; at = this.outerOf(at)) depth += 1;
    return depth;
  }

  /** The tags of the spans around a report, the nearest first. The first of a trace is around all, also where one between is not known. */
  saidAround(report: Report): Said[] {
    const around = this.#around(report);
    const first = report.parent === '' ? undefined : this.#roots.get(report.trace);
    if (first !== undefined && first !== report && areNear(report, first) && !around.includes(first))
      around.push(first);
    return around.map((span) => ('call' in span ? saidBy(span.call) : span));
  }

  #findOuter(report: Report): Report | undefined {
    const outer = this.#around(report).find((span) => 'call' in span);
    return outer === report ? undefined : outer;
  }

  /**
   * The spans around a report, the nearest first. In place of one that is not known stands the record that tells of it.
   * Spans that name each other as parents are around nothing.
   */
  #around(report: Report): Span[] {
    const found: Span[] = [];
    if (report.span === '') return found;
    for (let parent = report.parent; parent !== '' && found.length < maxDepth; ) {
      const key = report.trace + parent;
      const known = this.#reports.get(key) ?? this.#plain.get(key);
      if (known === report) return [];
      const span = known ?? this.#told.get(key);
      if (span === undefined || span === report || found.includes(span) || !areNear(report, span)) break;
      found.push(span);
      if (known === undefined) break;
      parent = span.parent;
    }
    return found;
  }
}

/** Notes what has a key, unless another span has it too. */
function noteOnly<Item extends Span>(items: Map<string, Item | undefined>, key: string, item: Item): void {
  if (item.trace === '') return;
  const isAlone = !items.has(key) || items.get(key)?.span === item.span;
  items.set(key, isAlone ? item : undefined);
}
