import { Link } from '@tanstack/react-router';
import { toName, toShortName } from '../lib/format.ts';

interface NameProps {
  readonly name: string;
  /** The most letters that are shown. */
  readonly most?: number;
}

/** A name that clients chose: a long one loses its middle, and its title has all of it. */
export const Name = ({ name, most }: NameProps) => {
  const short = toShortName(name, most);
  return (
    <span
      title={short === toName(name) ? undefined : name}
      className={name === '' ? 'text-mute italic no-underline' : undefined}
    >
      {short}
    </span>
  );
};

/** The name of a customer or a user, which leads to its page; calls without one have none. */
export const NameLink = ({ of, name }: { readonly of: 'customer' | 'user'; readonly name: string }) =>
  name === '' ? (
    <Name name={name} />
  ) : (
    <Link
      to={of === 'customer' ? '/customers/$name' : '/users/$name'}
      params={{ name }}
      search={(search) => ({ ...search, sort: undefined })}
      className="font-medium hover:underline"
    >
      <Name name={name} />
    </Link>
  );
