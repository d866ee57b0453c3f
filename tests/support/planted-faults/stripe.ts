import type { PlantedFault } from './planted-fault.ts';

const entries = { unit: ['tests/revenue/stripe/entries.test.ts', 'tests/revenue/stripe/any-order.test.ts'] };
const hooks = { 'api-sqlite': ['tests/api/D17-stripe/hooks.test.ts'] };
const customers = { 'api-sqlite': ['tests/api/D17-stripe/customers-and-rates.test.ts'] };
const commands = { cli: ['tests/cli/stripe.test.ts'] };

export const faultsOfStripe: readonly PlantedFault[] = [
  {
    id: 'stripe-any-signature',
    file: 'src/billing/revenue/stripe/signature.ts',
    find: 'isSigned.some((found) => found > 0)',
    replace: 'isSigned.some((found) => found >= 0)',
    why: 'Anybody who knows the address of a hook makes revenue.',
    tests: hooks,
  },
  {
    id: 'stripe-replayed-hook',
    file: 'src/billing/revenue/stripe/signature.ts',
    find: 'apart > toleranceSeconds',
    replace: 'apart > 1_000 * toleranceSeconds',
    why: 'A hook that was overheard is taken days later.',
    tests: hooks,
  },
  {
    id: 'stripe-unpaid-invoice-counts',
    file: 'src/billing/revenue/stripe/calc-entries.ts',
    find: "if (invoice.status !== 'paid') return [];",
    replace: "if (invoice.status === 'void') return [];",
    why: 'An uncollectible invoice is revenue.',
    tests: entries,
  },
  {
    id: 'stripe-voided-credit-note-counts',
    file: 'src/billing/revenue/stripe/calc-entries.ts',
    find: 'creditNotes.filter(({ isVoid }) => !isVoid)',
    replace: 'creditNotes.filter(() => true)',
    why: 'A credit note that was taken back still lowers the revenue.',
    tests: entries,
  },
  {
    id: 'stripe-refund-counts-twice',
    file: 'src/billing/revenue/stripe/refunds.ts',
    find: 'if (same) same.left = 0;',
    replace: 'if (same) continue;',
    why: 'A refund by a credit note is taken off twice.',
    tests: entries,
  },
  {
    id: 'stripe-refund-with-tax',
    file: 'src/billing/revenue/stripe/refunds.ts',
    find: 'BigInt(gross) * BigInt(net), BigInt(total)',
    replace: 'BigInt(gross) * BigInt(total), BigInt(total)',
    why: 'The tax of a refund is taken off the revenue, which never had it.',
    tests: entries,
  },
  {
    id: 'stripe-lost-cent',
    file: 'src/billing/revenue/stripe/apportion.ts',
    find: 'lost.slice(0, Number(left))',
    replace: 'lost.slice(0, Number(left) - 1)',
    why: 'A coupon that does not divide evenly leaves a cent of the invoice out.',
    tests: entries,
  },
  {
    id: 'stripe-yen-have-cents',
    file: 'src/billing/revenue/stripe/currencies.ts',
    find: 'GNF JPY KMF',
    replace: 'GNF KMF',
    why: 'Revenue in yen is a hundredth of what was paid.',
    tests: entries,
  },
  {
    id: 'stripe-older-state-wins',
    file: 'src/billing/revenue/stripe/objects.ts',
    find: 'a.at > b.at ? a : b',
    replace: 'a.at < b.at ? a : b',
    why: 'An event that arrives late brings back what is no longer true.',
    tests: entries,
  },
  {
    id: 'stripe-pair-before-metadata',
    file: 'src/billing/revenue/stripe/mapping.ts',
    find: 'if (name !== undefined) customers.set(id, name);',
    replace: 'if (name !== undefined && !customers.has(id)) customers.set(id, name);',
    why: 'A pair set once hides the customer that the metadata name.',
    tests: customers,
  },
  {
    id: 'stripe-first-page-alone',
    file: 'src/cli/stripe-account.ts',
    find: 'if (!hasMore || after === undefined) return;',
    replace: 'if (hasMore || after === undefined) return;',
    why: 'An import of an account has its first hundred customers alone.',
    tests: commands,
  },
];
