import type { PlantedFault } from './planted-fault.ts';

const copies = { unit: ['tests/assembly/closes.test.ts'] };
const answers = { 'api-sqlite': ['tests/api/D19-closes/200-as-of.test.ts'] };
const facts = { unit: ['tests/closes/facts.test.ts'] };
const drift = { unit: ['tests/closes/drift.test.ts'] };
const driftAnswers = { 'sealed-sqlite': ['tests/api/D19-closes/drift.test.ts'] };
const routes = { 'api-sqlite': ['tests/api/D19-closes/201-400-404-409.test.ts'] };

export const faultsOfCloses: readonly PlantedFault[] = [
  {
    id: 'closed-days-are-written',
    file: 'src/calls/assembly/write-calls.ts',
    find: 'if (closed.length > 0)',
    replace: 'if (closed.length < 0)',
    why: 'A late event changes what a close pins.',
    tests: copies,
  },
  {
    id: 'pins-move-before-the-copy',
    file: 'src/calls/pins/copies.ts',
    find: "  await afterCopyStep?.('noted');\n  const where",
    replace:
      "  await control.updateTable('close_days').set({ generation }).execute();\n  await afterCopyStep?.('noted');\n  const where",
    why: 'A process that dies between the two leaves a close without its calls.',
    tests: copies,
  },
  {
    id: 'one-copy-of-two-closes',
    file: 'src/calls/pins/copies.ts',
    find: 'others.every(({ day }) => day !== pin.day)',
    replace: 'others.length > 0',
    why: 'After an erasure an earlier close has the figures of a later one.',
    tests: answers,
  },
  {
    id: 'retention-deletes-pinned-calls',
    file: 'src/rollups/retention/clearer.ts',
    find: "unlessPinned('day < {before:Date}', pinned)",
    replace: "'day < {before:Date}'",
    why: 'Questions of a close that need calls lose them with the events.',
    tests: copies,
  },
  {
    id: 'clean-up-deletes-pinned-calls',
    file: 'src/calls/rebuild/clean-up.ts',
    find: 'unlessPinned(unread, pinned)',
    replace: 'unread',
    why: 'Two minutes after a reprice a close has lost the calls before it.',
    tests: copies,
  },
  {
    id: 'as-of-reads-current-facts',
    file: 'src/reports/facts/as-of.ts',
    find: 'facts: pinnedFacts(control, { closeId: close.id, projectId: project.id })',
    replace: 'facts: currentFacts(control, project.id)',
    why: 'Tags, grants and revenue set later change a closed month.',
    tests: answers,
  },
  {
    id: 'close-of-an-earlier-day',
    file: 'src/reports/facts/closes.ts',
    find: 'through <= project.closed_through',
    replace: 'through < project.closed_through',
    why: 'Two closes of one day exist, and neither is the later one.',
    tests: routes,
  },
  {
    id: 'closes-share-their-facts',
    file: 'src/reports/facts/entry-sources.ts',
    find: ".where('close_id', '=', closeId)",
    replace: ".where('close_id', '>=', '')",
    why: 'A close answers with the revenue of another one too.',
    tests: facts,
  },
  {
    id: 'closes-keep-erased-names',
    file: 'src/reports/facts/pin-facts.ts',
    find: ".set({ customer: '' })",
    replace: '.set({ customer: name })',
    why: 'A close names a customer that was erased.',
    tests: facts,
  },
  {
    id: 'drift-forgets-what-has-gone',
    file: 'src/billing/closes/drift/attribute-calls.ts',
    find: 'return [partOf(pinned, cause, -pinned.cost)];',
    replace: 'return [];',
    why: 'The drift does not add up where calls are gone.',
    tests: drift,
  },
  {
    id: 'drift-skips-rebuilt-days',
    file: 'src/billing/closes/drift/changed-days.ts',
    find: 'generation !== generationOf(current, day)',
    replace: 'generation < generationOf(current, day)',
    why: 'Days whose calls were copied away for a close seem unchanged.',
    tests: driftAnswers,
  },
];
