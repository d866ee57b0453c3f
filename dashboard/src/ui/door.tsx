import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { carried } from '../places.ts';
import type { Search } from '../state/search.ts';

/** Where a figure leads: to the rows or the calls that it is made of, or to what explains it. */
export interface DoorTo {
  readonly to: string;
  readonly params?: Readonly<Record<string, string>>;
  /** What the URL has there beside the days and filters of this page. */
  readonly search?: Partial<Search> | undefined;
  readonly hash?: string;
  readonly className?: string;
}

interface MaybeDoorProps {
  /** Undefined where there is nothing to lead to. */
  readonly door: DoorTo | undefined;
  readonly children: ReactNode;
}

export const MaybeDoor = ({ door, children }: MaybeDoorProps) => (door ? <Door {...door}>{children}</Door> : children);

/** A figure that leads to what it is made of. The browser's back button leads back to the same view. */
export const Door = ({
  to,
  params,
  search,
  hash,
  className = 'rounded underline-offset-2 hover:underline',
  children,
}: DoorTo & { readonly children: ReactNode }) => (
  <Link
    to={to}
    {...(params && { params })}
    {...(hash !== undefined && { hash })}
    search={(own: Search) => ({ ...carried(own), by: undefined, order: undefined, waste: undefined, ...search })}
    className={className}
  >
    {children}
  </Link>
);
