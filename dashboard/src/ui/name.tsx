import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { splitName, toWholeName } from '../lib/format.ts';

interface NameProps {
  readonly name: string;
  /** The most letters that are shown. */
  readonly most?: number;
}

/** A column of names has room for so many letters; where a browser cuts a name, it leaves a gap. */
const mostInCell = 32;

/** A name that clients chose: a long one loses its middle, also in a narrow cell, and its title has all of it. */
export const Name = ({ name, most = mostInCell }: NameProps) => {
  const [first, last] = splitName(name, most);
  if (last === '')
    return <bdi className={name === '' ? 'text-mute italic no-underline' : undefined}>{toWholeName(name)}</bdi>;
  return (
    <bdi title={name} className="relative">
      <span className="sr-only">{name}</span>
      <span aria-hidden="true" className="inline-flex max-w-full align-bottom select-none">
        {/* A space at its end would be lost in a line of its own. */}
        <span className="overflow-hidden text-ellipsis whitespace-pre">{first}</span>
        <span className="whitespace-pre">{last}</span>
      </span>
    </bdi>
  );
};

/** A name and what else tells a row apart: a phone has that below, where a narrow cell cuts nothing but the name. */
export const NameWith = ({ name, beside }: { readonly name: string; readonly beside: ReactNode }) =>
  beside ? (
    <span className="inline-flex max-w-full gap-x-1 max-sm:flex-col max-sm:items-start max-sm:align-middle max-sm:leading-4.5 sm:items-center sm:align-bottom">
      <span className="max-w-full min-w-0 truncate">
        <Name name={name} />
      </span>{' '}
      <span
        className={`max-w-full truncate font-normal text-mute ${typeof beside === 'string' ? 'min-w-0' : 'sm:shrink-0'}`}
      >
        {beside}
      </span>
    </span>
  ) : (
    <Name name={name} />
  );

/** The name of a customer or a user, which leads to its page; calls without one have none. */
export const NameLink = ({ of, name }: { readonly of: 'customer' | 'user'; readonly name: string }) =>
  name === '' ? (
    <Name name={name} />
  ) : (
    <Link
      to={of === 'customer' ? '/customers/$name' : '/users/$name'}
      params={{ name }}
      search={true}
      className="font-medium hover:underline"
    >
      <Name name={name} />
    </Link>
  );
