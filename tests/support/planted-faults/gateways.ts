import type { PlantedFault } from './planted-fault.ts';

/** Faults of the formats of gateways, and of imports. */
export const faultsOfGateways: readonly PlantedFault[] = [
  {
    id: 'gateway-cost-taken',
    file: 'src/pricing/cost.ts',
    find: 'hasNoPrice && costElsewhere !== undefined',
    replace: 'costElsewhere !== undefined',
    why: "Calls cost what the gateway's price list says, also where Farthing has a price.",
    tests: { 'api-sqlite': ['tests/api/D16-gateways/200.test.ts'] },
  },
  {
    id: 'gateway-keeps-prompts',
    file: 'src/ingest/gateways/outcome-event.ts',
    find: 'error_message: keepsContent ? error',
    replace: 'error_message: failed ? error',
    why: 'A message of an error that repeats the prompt is stored.',
    tests: { unit: ['tests/telemetry/random-content.test.ts'] },
  },
  {
    id: 'import-counts-wrappers',
    file: 'src/ingest/imports/langfuse.ts',
    find: 'parent !== undefined && reportsUsage ? key(parent) : undefined',
    replace: 'undefined',
    why: 'A generation around another one is counted beside it.',
    tests: { cli: ['tests/cli/import-exports.test.ts'] },
  },
  {
    id: 'import-batches-at-full-price',
    file: 'src/ingest/imports/openai-usage.ts',
    find: "? 'batch' :",
    replace: "? 'default' :",
    why: 'Batches of an imported usage cost twice of what they did.',
    tests: { cli: ['tests/cli/import-exports.test.ts'] },
  },
];
