import type { PlantedFault } from './planted-fault.ts';

export const faultsOfCalls: readonly PlantedFault[] = [
  {
    id: 'held-events-outlive-jobs',
    file: 'src/calls/assembly/assembler.ts',
    find: '      afterJob?.(job.name, elapsedMs);\n    }\n    this.#forgetRead();',
    replace: '      afterJob?.(job.name, elapsedMs);\n    }',
    why: 'An event that an erasure has deleted from the log comes back as a call, with the name of the customer.',
    tests: { unit: ['tests/assembly/assembler.test.ts'] },
  },
  {
    id: 'held-events-with-a-gap',
    file: 'src/calls/assembly/fresh-events.ts',
    find: 'first.seq === last.seq + 1',
    replace: 'first.seq > last.seq',
    why: 'Events that are not held are left out of the calls for ever.',
    tests: { unit: ['tests/assembly/fresh-events.test.ts'] },
  },
  {
    id: 'outcome-at-48-hours',
    file: 'src/calls/assembly/merge.ts',
    find: 'outcome.receivedAtMs > start.receivedAtMs + callMs',
    replace: 'outcome.receivedAtMs >= start.receivedAtMs + callMs',
    why: 'An outcome received 48 hours after the first begins a second call, and its cost counts twice.',
    tests: { unit: ['tests/assembly/merge.test.ts'] },
  },
  {
    id: 'beginning-after-48-hours',
    file: 'src/calls/assembly/merge.ts',
    find: 'starts.findIndex((start) => event.receivedAtMs <= start.receivedAtMs + callMs)',
    replace: 'starts.findIndex(() => true)',
    why: 'The .before of an id used again goes to the old call, and its customer gets the cost of another.',
    tests: { unit: ['tests/assembly/outcomes.test.ts'] },
  },
  {
    id: 'first-usage-wins',
    file: 'src/calls/assembly/merge.ts',
    find: 'ranked.findLast(reportsUsage)',
    replace: 'ranked.find(reportsUsage)',
    why: 'A call is costed by the usage of its .before, not of its .after.',
    tests: { 'api-sqlite': ['tests/api/D4-calls/merging.test.ts'] },
  },
  {
    id: 'ids-of-batch-before-not-awaited',
    file: 'src/calls/assembly/batch.ts',
    find: '  await before?.noted;\n',
    replace: '',
    why: 'Events of one call in two batches make two calls.',
    tests: { unit: ['tests/assembly/look-back.test.ts'] },
  },
  {
    id: 'watermark-before-calls',
    file: 'src/calls/assembly/batch.ts',
    find: `  await writeCalls(options, rows);
  await noteStep('calls');
  await noteLateEvents(options, slice, calls);
  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    for (const { from, to } of moves) await advanceWatermark(transaction, from, to);
  });
  await noteStep('watermark');
`,
    replace: `  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    for (const { from, to } of moves) await advanceWatermark(transaction, from, to);
  });
  await noteStep('watermark');
  await writeCalls(options, rows);
  await noteStep('calls');
  await noteLateEvents(options, slice, calls);
`,
    why: 'A process killed between the two never makes calls of what it had acknowledged.',
    tests: { unit: ['tests/assembly/crash.test.ts'] },
  },
  {
    id: 'lease-not-confirmed',
    file: 'src/calls/assembly/batch.ts',
    find: '  await lease.requireHeld();\n',
    replace: '',
    why: 'A process that has lost the lease writes calls that the new holder has erased.',
    tests: { unit: ['tests/assembly/assembler.test.ts'] },
  },
  {
    id: 'lease-taken-while-held',
    file: 'src/calls/assembly/lease.ts',
    find: "      .$if(!exclusive, (query) => query.where('expires_at', '<', now))\n",
    replace: '',
    why: 'Instances take the lease from each other at every turn, and batches are done again and again.',
    tests: { unit: ['tests/assembly/lease.test.ts'] },
  },
  {
    id: 'new-events-taken-for-none',
    file: 'src/calls/assembly/progress.ts',
    find: 'return storedSeq === this.storedSeq && this.isComplete',
    replace: 'return storedSeq >= 0 && this.isComplete',
    why: 'Events wait for ten seconds after an idle moment, and answers with them.',
    tests: { unit: ['tests/assembly/assembler.test.ts'] },
  },
  {
    id: 'stalled-assembly-holds-imports',
    file: 'src/intake/pace.ts',
    find: 'if (assembledSeq === this.#stalledSeq) return;',
    replace: '',
    why: 'While a store is away, every large request waits three seconds, and the intake takes next to nothing.',
    tests: { unit: ['tests/intake/pace.test.ts'] },
  },
  {
    id: 'own-writes-not-awaited',
    file: 'src/calls/assembly/progress.ts',
    find: 'while (!this.#isWhole || !this.#hasCaughtUp || this.#assembledSeq < needed) {',
    replace: 'while (!this.#isWhole || !this.#hasCaughtUp) {',
    why: 'A total right after a post lacks what was just acknowledged.',
    tests: { 'api-sqlite': ['tests/api/D4.7-read-your-writes/200.test.ts'] },
  },
  {
    id: 'earlier-events-not-awaited',
    file: 'src/calls/assembly/assembler.ts',
    find: 'const isLeft = watermarks.some((watermark) => watermark.seq < (this.#left?.get(watermark.writer) ?? 0));',
    replace: 'const isLeft = false;',
    why: 'A service that starts again answers without the events that the last process had acknowledged.',
    tests: { unit: ['tests/assembly/assembler.test.ts'] },
  },
  {
    id: 'living-writer-retired',
    file: 'src/calls/assembly/assembler.ts',
    find: ' && isDead(mark)',
    replace: '',
    why: 'Events of another instance are not made into calls until it says that it is alive.',
    tests: { crash: ['tests/instances/instances.test.ts'] },
  },
  {
    id: 'rollup-of-touched-day',
    file: 'src/calls/generations.ts',
    find: 'if (seal !== null && sealed === touched) seals.set(day, seal);',
    replace: 'if (seal !== null && seal > 0) seals.set(day, seal);',
    why: 'A late event of a day that was rolled up before is in no total.',
    tests: { unit: ['tests/assembly/sealing.test.ts'] },
  },
  {
    id: 'seal-of-changed-day',
    file: 'src/calls/rollups/days.ts',
    find: `    .set({ sealed: touched, seal })
    .where('project_id', '=', projectId)
    .where('day', '=', day)
    .where('touched', '=', touched)
`,
    replace: `    .set((row) => ({ sealed: row.ref('touched'), seal }))
    .where('project_id', '=', projectId)
    .where('day', '=', day)
`,
    why: 'A call that came while its day was rolled up is in no total.',
    tests: { unit: ['tests/assembly/sealing.test.ts'] },
  },
  {
    id: 'first-day-of-run-not-touched',
    file: 'src/calls/rollups/note-runs.ts',
    find: '        if (before && isInForce) crossed.push({ projectId, day: before.day });\n',
    replace: '',
    why: 'A run of two days counts twice, once for each.',
    tests: { unit: ['tests/assembly/sealing.test.ts'] },
  },
  {
    id: 'unpriced-calls-hidden-in-cells',
    file: 'src/calls/rollups/cells.ts',
    find: `countIf(unpriced_reason != '')`,
    replace: `countIf(unpriced_reason = 'no_token_price')`,
    why: 'Calls without a price look as if they had cost nothing.',
    tests: { 'sealed-sqlite': ['tests/api/D2-usage/200.test.ts'] },
  },
  {
    id: 'partly-priced-calls-hidden-in-cells',
    file: 'src/calls/rollups/cells.ts',
    find: 'countIf(notEmpty(partly_priced))',
    replace: 'countIf(length(partly_priced) > 1)',
    why: 'Calls look wholly priced when the price of one unit is missing.',
    tests: { crash: ['tests/crash/sealed.test.ts'] },
  },
  {
    id: 'units-of-another-event',
    file: 'src/calls/assembly/merge.ts',
    find: '  for (const _unit in units) return true;\n',
    replace: '',
    why: 'A call has the units of its .before, or none, when its .after reports only units.',
    tests: { unit: ['tests/assembly/merge.test.ts'] },
  },
  {
    id: 'rebuild-skips-late-events',
    file: 'src/calls/rebuild/windows.ts',
    find: 'groupById([...events, ...ofLate])',
    replace: 'groupById(events)',
    why: 'After a rebuild, calls with an event more than ten minutes later are gone.',
    tests: { unit: ['tests/assembly/rebuild-all-calls.test.ts'] },
  },
  {
    id: 'rebuild-misses-new-events',
    file: 'src/calls/assembly/contexts.ts',
    find: '    ...(rebuild ? toRebuildContexts(rebuild, { books, generations, rereads }) : []),\n',
    replace: '',
    why: 'Events that came while past days were repriced are gone afterwards.',
    tests: { unit: ['tests/assembly/rebuild-all-calls.test.ts'] },
  },
  {
    id: 'rebuild-deletes-frozen-days',
    file: 'src/calls/rebuild/put-in-force.ts',
    find: "    .$if(keptFrom !== undefined, (query) => query.where('day', '>=', keptFrom ?? ''))\n",
    replace: '',
    why: 'A rebuild loses the totals of the days that are beyond retention.',
    tests: { 'sealed-sqlite': ['tests/api/D2-retention/200.test.ts'] },
  },
  {
    id: 'lost-part-taken-for-merged',
    file: 'src/calls/repair/known-parts.ts',
    find: 'around.some((part) => part.first <= first) && around.some((part) => part.last >= last)',
    replace: 'around.some((part) => part.first <= first) || around.some((part) => part.last >= last)',
    why: 'Rows that a broken disk has lost are not missed, and totals are too low in silence.',
    tests: { unit: ['tests/repair/lost-parts.test.ts'] },
  },
  {
    id: 'parts-not-kept',
    file: 'src/calls/repair/repairer.ts',
    find: '    keepKnownParts(dataDir, parts);\n',
    replace: '',
    why: 'A part that is gone at a start is not missed.',
    tests: { faults: ['tests/faults/parts.test.ts'] },
  },
  {
    id: 'control-loss-not-seen',
    file: 'src/calls/repair/control-loss.ts',
    find: 'const isBehind = version > lease.version;',
    replace: 'const isBehind = false;',
    why: 'After the write-ahead log was cut off, new rows of calls lose against old ones, and totals are wrong.',
    tests: { faults: ['tests/faults/control-store.test.ts'] },
  },
  {
    id: 'late-events-not-noted',
    file: 'src/calls/retention/late-events.ts',
    find: "  if (events.length > 0) await store.insertRows('late_events', lateColumns, events);\n",
    replace: '',
    why: 'Coverage does not say that events came for days that are beyond retention.',
    tests: { 'sealed-sqlite': ['tests/api/D2-retention/200.test.ts'] },
  },
  {
    id: 'erasure-loses-kept-readings',
    file: 'src/calls/retention/erase-frozen.ts',
    find: '  await copyReadings(store, copied, erased);\n',
    replace: '',
    why: 'Erasing one user takes the key metrics of all others off the days that are beyond retention.',
    tests: { 'sealed-sqlite': ['tests/api/D2-retention/200.test.ts'] },
  },
  {
    id: 'retention-a-day-short',
    file: 'src/calls/retention/freezer.ts',
    find: 'addDays(dayOf(timezone, now), -retentionDays)',
    replace: 'addDays(dayOf(timezone, now), 1 - retentionDays)',
    why: 'Events are deleted a day before they may be.',
    tests: { 'sealed-sqlite': ['tests/api/D2-retention/200.test.ts'] },
  },
  {
    id: 'cache-writes-counted-twice',
    file: 'src/calls/split-usage.ts',
    find: 'counts.total - (counts.cacheRead ?? 0) - (counts.cacheWrite ?? 0)',
    replace: 'counts.total - (counts.cacheRead ?? 0)',
    why: 'Tokens written to the cache are paid as plain input, too.',
    tests: { unit: ['tests/calls/usage.test.ts'] },
  },
  {
    id: 'tried-reread-counts',
    file: 'src/calls/reread/applied.ts',
    find: ".where('state', '=', 'done').where('dry_run', '=', 0);",
    replace: ".where('state', '=', 'done');",
    why: 'What a dry run has read anew changes numbers with the next late event.',
    tests: { unit: ['tests/assembly/reread.test.ts'] },
  },
  {
    id: 'rereads-not-attached-to-batches',
    file: 'src/calls/assembly/batch.ts',
    find: 'await attachReadings(select, found, await readProjectsWithReadings(control))',
    replace: 'found',
    why: 'A late event brings back what an older release had read from the other events of its call.',
    tests: { unit: ['tests/assembly/reread.test.ts'] },
  },
  {
    id: 'rereads-whole-ids',
    file: 'src/calls/reread/reread.ts',
    find: 'calls.filter(({ timeMs }) => generationOf(dayOf(timezone, timeMs)) !== undefined)',
    replace: 'calls.filter(({ timeMs }) => timeMs > 0)',
    why: 'Calls on days that nobody asked for change with the next rebuild.',
    tests: { unit: ['tests/assembly/reread.test.ts'] },
  },
  {
    id: 'outcome-just-before-does-not-count',
    file: 'src/calls/assembly/open-state.ts',
    find: 'Math.floor((receivedAtMs + callMs) / hourMs)',
    replace: 'Math.floor(receivedAtMs / hourMs)',
    why: 'A call whose `.before` comes after its outcome stays open for ever.',
    tests: { unit: ['tests/assembly/open-calls.test.ts'] },
  },
  {
    id: 'earlier-open-calls-not-noted',
    file: 'src/service/prepare.ts',
    find: '    await backfillOpenStates(store);\n',
    replace: '',
    why: 'After an update, calls that were open before are not counted.',
    tests: { crash: ['tests/crash/upgrade.test.ts'] },
  },
  {
    id: 'open-rows-of-ended-calls-counted',
    file: 'src/analytics/coverage/sql.ts',
    find: 'max(event_ids.open_state) AS open_state',
    replace: 'min(event_ids.open_state) AS open_state',
    why: 'An outcome in a later batch than its `.before` does not end the call.',
    tests: { unit: ['tests/assembly/open-calls.test.ts'] },
  },
];
