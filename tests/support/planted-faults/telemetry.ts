import type { PlantedFault } from './planted-fault.ts';

const api = (name: string) => ({ 'api-sqlite': [`tests/api/D14-otlp/${name}.test.ts`] });
const property = { 'sealed-sqlite': ['tests/property/otlp.test.ts'] };

/** Faults of the reading of OpenTelemetry. */
export const faultsOfTelemetry: readonly PlantedFault[] = [
  {
    id: 'agents-are-calls',
    file: 'src/ingest/telemetry/recognise.ts',
    find: 'return isCall ? lookup : undefined;',
    replace: 'return lookup;',
    why: 'The usage of an agent, which sums up its calls, is charged beside them.',
    tests: api('200'),
  },
  {
    id: 'spans-inside-each-other-count',
    file: 'src/calls/joins/span-tree.ts',
    find: "const outer = this.#around(report).find((span) => 'call' in span);",
    replace: 'const outer = undefined;',
    why: 'A call that two libraries trace costs twice.',
    tests: { ...api('wrappers'), ...property },
  },
  {
    id: 'silent-children-wrap',
    file: 'src/calls/joins/report.ts',
    find: 'knownCounts > 0',
    replace: 'knownCounts >= 0',
    why: 'A span of the raw request, which has no usage, takes the cost off the call around it.',
    tests: api('wrappers'),
  },
  {
    id: 'cache-counted-twice',
    file: 'src/ingest/telemetry/read-usage.ts',
    find: 'if (isShown || isExcluded(excludesCache, attributes, origin))',
    replace: 'if (isShown || !isExcluded(excludesCache, attributes, origin))',
    why: 'Cached tokens are charged as plain input too.',
    tests: { unit: ['tests/telemetry/map.test.ts'] },
  },
  {
    id: 'prompts-stored',
    file: 'src/ingest/telemetry/plain-attributes.ts',
    find: 'if (value === undefined) dropped.add(place + pair.key);',
    replace: 'if (value === undefined) kept.push(pair);',
    why: 'Prompts are on the disk of a project that did not ask for it.',
    tests: api('content'),
  },
  {
    id: 'bad-spans-silent',
    file: 'src/ingest/telemetry/to-events.ts',
    find: 'this.#rejected += 1;',
    replace: '',
    why: 'Spans that could not be read are lost without a word.',
    tests: api('400'),
  },
  {
    id: 'later-reports-not-joined',
    file: 'src/calls/assembly/batch.ts',
    find: '[...calls, ...related], ({ projectId })',
    replace: 'calls, ({ projectId })',
    why: 'A call keeps its cost when the span within it comes.',
    tests: { ...api('wrappers'), ...property },
  },
  {
    id: 'wrapper-left-behind',
    file: 'src/calls/assembly/cost-calls.ts',
    find: 'other === day && !isWrapper ? undefined : generationOf(other)',
    replace: 'other === day ? undefined : generationOf(other)',
    why: 'A call that was written before its marker came is never removed.',
    tests: { ...api('wrappers'), ...property },
  },
];
