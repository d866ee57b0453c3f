import { Badge, NoPriceBadge } from './basics.tsx';
import { Name } from './name.tsx';

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

/** A name, and whether it has no price: a phone has that below, where a narrow cell cuts nothing but the name. */
export const NamePriced = ({ name, isUnpriced, some }: NamePricedProps) =>
  isUnpriced ? (
    <span className="max-sm:inline-flex max-sm:max-w-full max-sm:flex-col max-sm:items-start max-sm:align-middle">
      <span className="max-sm:max-w-full max-sm:truncate">
        <Name name={name} />
      </span>{' '}
      {some === undefined ? <NoPriceBadge /> : <Badge tone="warn">{some}</Badge>}
    </span>
  ) : (
    <Name name={name} />
  );
