import { Link } from '@tanstack/react-router';
import { useProviders } from '../api/queries.ts';
import { Empty } from './basics.tsx';

/** In place of rows: other days may have some, unless no call has come at all. */
export const NoneOnDays = ({ what }: { readonly what: string }) =>
  useProviders().data?.rows.length === 0 ? (
    <Empty title="No call has come yet">
      <Link to="/connect" search={true} className="text-accent underline underline-offset-2">
        Send the first
      </Link>
    </Empty>
  ) : (
    <Empty title={`${what} on these days`}>Choose other days, or remove a filter.</Empty>
  );
