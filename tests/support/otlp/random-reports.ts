// Random requests to models, each with all that report it, made from the inside out.
import fc from 'fast-check';

/** A report of a request, or a span between two. */
export interface RandomSpan {
  readonly isCall: boolean;
  readonly scope: string;
  readonly process: string;
  readonly trace: string;
  readonly span: string;
  /** '' where none is around it. */
  readonly parent: string;
  /** The id of the answer; '' where the emitter knows none. */
  readonly answer: string;
  readonly startMs: number;
  readonly endMs: number;
  /** What it knows beside the output. */
  readonly counts: number;
  readonly output: number;
  readonly model: string;
  readonly customer: string;
}

export interface RandomRequest {
  /** What the fullest report knows, what names the model best, and what the outermost says. */
  readonly counts: number;
  readonly output: number;
  readonly model: string;
  readonly customer: string;
  readonly isJoinedAlike: boolean;
  readonly spans: readonly RandomSpan[];
}

const [alias, dated] = ['gpt-4o', 'gpt-4o-2024-08-06'] as const;

const emitter = fc.record({
  model: fc.constantFrom<string>(alias, dated),
  /** The output; less where only the beginning of a stream was seen. */
  output: fc.constantFrom(1, 5),
  /** What ties it to the one inside it. */
  tie: fc.constantFrom('span', 'span through a plain one', 'answer', 'answer elsewhere', 'alike'),
  counts: fc.nat({ max: 2 }),
});

const request = fc.record({
  gapMs: fc.nat({ max: 400 }),
  durationMs: fc.integer({ min: 20, max: 900 }),
  counts: fc.nat({ max: 2 }),
  hasId: fc.boolean(),
  model: fc.constantFrom<string>(alias, dated),
  process: fc.constantFrom('one', 'two'),
  around: fc.array(emitter, { maxLength: 3 }),
});

type Draft = typeof request extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/**
 * Requests that run at once, with the same model, output and emitters: nothing but ids, parents, processes and times
 * tells them apart. Those of which likeness joins reports are alone at their time, because others would be as alike.
 */
export const randomRequests = fc.array(request, { minLength: 1, maxLength: 5 }).map((drafts): RandomRequest[] => {
  let atMs = 10_000;
  return drafts.map((draft, index) => {
    const isJoinedAlike = draft.around.some(({ tie }) => tie === 'alike');
    const apartMs = isJoinedAlike ? 10_000 : 0;
    atMs += draft.gapMs + apartMs;
    const made = toRequest(draft, index, atMs);
    atMs += apartMs;
    return { ...made, isJoinedAlike };
  });
});

function toRequest(
  { durationMs, counts, hasId, model, process, around }: Draft,
  index: number,
  atMs: number,
): Omit<RandomRequest, 'isJoinedAlike'> {
  const customer = `customer-${index}`;
  const answer = hasId || around.some(({ tie }) => tie.startsWith('answer')) ? `msg_answer_${index}` : '';
  const plain: RandomSpan[] = [];
  const reports: RandomSpan[] = [
    {
      ...{ isCall: true, scope: 'client', process, trace: `${index}`, span: `${index}-client`, parent: '', answer },
      ...{ startMs: atMs, endMs: atMs + durationMs, counts, output: 5, model, customer: '' },
    },
  ];
  for (const [place, { tie, counts: ofEmitter, output, model: named }] of around.entries()) {
    const inner = reports.pop();
    if (inner === undefined) throw new Error('there is one');
    const span = `${index}-${place}`;
    const outer: RandomSpan = {
      ...inner,
      ...{ scope: `emitter-${place}`, span, counts: ofEmitter, startMs: inner.startMs - 1, endMs: inner.endMs + 1 },
      // Likeness is that of the output.
      ...{ model: named, output: tie === 'alike' ? inner.output : output },
    };
    if (tie.startsWith('span')) {
      const between = tie === 'span' ? undefined : { ...outer, isCall: false, span: `${span}-plain`, parent: span };
      if (between !== undefined) plain.push(between);
      reports.push({ ...inner, parent: between?.span ?? span }, { ...outer, answer: '' });
      continue;
    }
    const elsewhere = { process: 'gateway', startMs: outer.startMs + 5_000, endMs: outer.endMs + 5_000 };
    reports.push(inner, {
      ...outer,
      trace: `${inner.trace}-${place}`,
      answer: tie === 'alike' ? '' : answer,
      ...(tie === 'answer elsewhere' && elsewhere),
    });
  }
  const outermost = reports.length - 1;
  const most = Math.max(...reports.map((report) => report.counts));
  return {
    counts: most,
    output: Math.max(...reports.filter((report) => report.counts === most).map((report) => report.output)),
    model: reports.some((report) => report.model === dated) ? dated : alias,
    customer,
    spans: [...reports.map((report, at) => (at === outermost ? { ...report, customer } : report)), ...plain],
  };
}
