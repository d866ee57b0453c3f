import { useLocation, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../api/queries.ts';
import type { Close } from '../api/types.ts';
import { toDay, toMinute } from '../lib/format.ts';
import { AsOfContext } from '../state/as-of.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useAccess } from '../state/session.tsx';
import { Button, FailureNote, Skeleton } from '../ui/basics.tsx';
import { Icon } from '../ui/icons.tsx';

/** The pages whose figures can be those of a close. */
const isDated = (pathname: string): boolean => /^\/(?:$|customers|users|features|models)(?:\/|$)?/.test(pathname);

/** The page as of the close that the URL names, below a banner that says so. */
export function AsOf({ children }: { readonly children: ReactNode }) {
  const { as_of: id } = useSearch({ from: '__root__' });
  const { pathname } = useLocation();
  if (id === undefined) return children;
  return isDated(pathname) ? <AsOfClose id={id}>{children}</AsOfClose> : <Present>{children}</Present>;
}

function AsOfClose({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  const { project } = useAccess();
  const close = useApi<Close>(`/api/closes/${encodeURIComponent(id)}/`);
  if (close.error) {
    return (
      <>
        <FailureNote answer={close} />
        <ToPresent />
      </>
    );
  }
  if (!close.data) return <Skeleton className="h-16" />;
  const { through, created_at, note } = close.data;
  return (
    <AsOfContext value={close.data}>
      <Banner action={<ToPresent />} title={`As of the close of ${toDay(through)}${note === null ? '' : ` · ${note}`}`}>
        These figures are those of {toMinute(created_at, project.timezone)}, whatever came later. What is only known as
        it is now, such as single calls and coverage, is left out.
      </Banner>
      {children}
    </AsOfContext>
  );
}

const Present = ({ children }: { readonly children: ReactNode }) => (
  <>
    <Banner action={<ToPresent />} title="This page shows the present">
      Costs, margins and key metrics are as of a close; what is here is known only as it is now.
    </Banner>
    {children}
  </>
);

function ToPresent() {
  const change = useChangeSearch();
  return <Button onClick={() => change({ as_of: undefined })}>Show the present figures</Button>;
}

interface BannerProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action: ReactNode;
}

const Banner = ({ title, children, action }: BannerProps) => (
  <aside
    aria-label="As of a close"
    className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border border-line bg-warnbg px-4 py-3"
  >
    <Icon name="closes" className="size-5 text-warn" />
    <div className="min-w-0 flex-1 basis-64">
      <p className="font-medium break-words text-warn">{title}</p>
      <p className="text-[13px]">{children}</p>
    </div>
    {action}
  </aside>
);
