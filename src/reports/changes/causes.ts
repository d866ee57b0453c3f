import { byName } from '../../lib/by-name.ts';
import type { WideMoney } from '../../lib/money.ts';

/** The factors of a group's cost (README.md), in the order in which the answer lists equal parts. */
export const factors = ['calls', 'mix', 'failures', 'tokens_per_call', 'cached_share', 'prices'] as const;
export type Factor = (typeof factors)[number];

/** Why a cost changed, with the API's names. */
export const causes = [...factors, 'new_customers', 'vanished_customers'] as const;
export type ChangeCause = (typeof causes)[number];

/** A difference as parts whose sum is exactly the difference. */
export type Parts = Readonly<Record<ChangeCause, WideMoney>>;

export const noParts: Parts = byName(causes, () => 0n);
