import { Badge, NoPriceBadge } from './basics.tsx';
import { NameWith } from './name.tsx';

/** In place of an amount that no price is known for: it would be $0, as if the calls were free. */
export const NoPrice = () => (
  <span className="text-mute" title="No price: these calls count as $0">
    –
  </span>
);

interface NamePricedProps {
  readonly name: string;
  readonly isUnpriced: boolean;
  /** Where only some of its calls have none: how many. */
  readonly some?: string | undefined;
}

/** A name, and whether it has no price. */
export const NamePriced = ({ name, isUnpriced, some }: NamePricedProps) => (
  <NameWith
    name={name}
    beside={isUnpriced && (some === undefined ? <NoPriceBadge /> : <Badge tone="warn">{some}</Badge>)}
  />
);
