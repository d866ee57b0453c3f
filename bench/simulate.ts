import { simulateFailOver, simulateLag, simulateParts } from './simulation.ts';

/**
 * Prints what docs/capacity.md says by simulation.
 *
 *   node bin/runtime.js bench/simulate.ts
 */
const round = (value: number, digits = 0) => value.toLocaleString('en-US', { maximumFractionDigits: digits });

console.log(
  'Parts of one partition of `events` on one shard after 24 hours; 2 threads merge 400,000 rows a second each\n',
);
console.log(
  '| Inserts a second | Rows an insert | Most parts | Each row written | Threads busy |\n|---|---|---|---|---|',
);
for (const [insertsPerSecond, rowsPerInsert] of [
  [0.2, 1_200],
  [5, 50],
  [20, 115],
  [20, 1_200],
  [50, 500],
  [20, 12_000],
  [100, 2_400],
] as const) {
  const result = simulateParts({
    insertsPerSecond,
    rowsPerInsert,
    mergeThreads: 2,
    mergeRowsPerSecond: 400_000,
    seconds: 86_400,
  });
  console.log(
    `| ${insertsPerSecond} | ${round(rowsPerInsert)} | ${result.mostParts} | ${round(result.timesWritten, 1)} times | ${round(100 * result.busy, 1)} % |`,
  );
}

console.log('\nAssembly of 33,800 calls a second\n');
console.log('| Load | Worst lag | Answers refused for | Caught up after the burst |\n|---|---|---|---|');
const burst = (usual: number, most: number, forSeconds: number) => (second: number) =>
  second >= 60 && second < 60 + forSeconds ? most : usual;
for (const [name, usual, most, forSeconds] of [
  ['1,200 a second, five times that for 10 minutes', 1_200, 6_000, 600],
  ['12,000 a second, three times that for a minute', 12_000, 36_000, 60],
  ['12,000 a second, five times that for a minute', 12_000, 60_000, 60],
  ['12,000 a second, five times that for 10 minutes', 12_000, 60_000, 600],
] as const) {
  const result = simulateLag({
    callsPerSecond: burst(usual, most, forSeconds),
    assembledPerSecond: 33_800,
    seconds: 7_200,
  });
  const after = Math.max(0, result.caughtUpAtSecond - 60 - forSeconds);
  console.log(
    `| ${name} | ${round(result.worstLagSeconds)} s | ${round(result.refusingSeconds)} s | ${round(after)} s |`,
  );
}

console.log('\nSeconds without a holder of the lease, 100,000 trials\n');
console.log('| Instances | Median | 99 % | Longest |\n|---|---|---|---|');
let state = 1;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
for (const instances of [2, 3, 10]) {
  const times = simulateFailOver({
    leaseMs: 5_000,
    renewEveryMs: 1_000,
    acquireEveryMs: 500,
    others: instances - 1,
    statementMs: 50,
    trials: 100_000,
    random,
  });
  const at = (share: number) =>
    round((times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0) / 1_000, 2);
  console.log(`| ${instances} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`);
}
