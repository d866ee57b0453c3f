import { Link, Outlet, useLocation, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { paletteKeys, usePalette } from './palette/use-palette.tsx';
import { type PlaceGroup, placeGroups, places, toCarried } from './places.ts';
import { useOpenCount } from './state/alerts.ts';
import { useChangeSearch } from './state/change-search.ts';
import { useKeptView } from './state/kept-view.ts';
import { type Access, AccessProvider, useSessionState } from './state/session.tsx';
import { Button, Empty, ErrorNote, SelectBox, Skeleton } from './ui/basics.tsx';
import { Icon } from './ui/icons.tsx';
import { keepFocus } from './ui/keep-focus.ts';
import { NotFound } from './ui/not-found.tsx';
import { Unreached } from './ui/unreached.tsx';
import { Away, usePlaceName } from './ui/waiting.tsx';
import { Wordmark } from './ui/wordmark.tsx';

// Most visitors have a session, and look at the present; nothing stands below the foot.
const SignIn = lazy(() => import('./sign-in.tsx').then((module) => ({ default: module.SignIn })));
const Foot = lazy(() => import('./foot.tsx').then((module) => ({ default: module.Foot })));
const AsOf = lazy(() => import('./closes/as-of.tsx').then((module) => ({ default: module.AsOf })));

/** The frame of every page: the sign-in, or the navigation and the page. */
export function Shell() {
  const session = useSessionState();
  switch (session.state) {
    case 'loading':
      return (
        <div className="p-6" aria-busy="true">
          <Skeleton className="h-8 w-40" />
        </div>
      );
    case 'signed-out':
      return (
        <Suspense>
          <SignIn hasEnded={session.hasEnded} />
        </Suspense>
      );
    case 'failed':
      return (
        <main className="mx-auto max-w-xl p-6">
          <ErrorNote problem={session.problem} retry={session.retry} />
        </main>
      );
    case 'no-project':
      return (
        <main className="mx-auto max-w-xl p-6">
          {session.isNamed ? (
            <Empty title="There is no such project here">
              Its id is in the address. It was deleted, you have no role in it, or it was made since this page was
              loaded: load the page again, or{' '}
              <a href="/" className="text-accent underline">
                open another project
              </a>
              .
            </Empty>
          ) : (
            <Empty title="There is no project">
              Ask an owner for a role in one, or make one with <code>farthing projects create</code>, then load this
              page again.
            </Empty>
          )}
        </main>
      );
    case 'signed-in':
      return (
        <AccessProvider access={session.access}>
          <Frame access={session.access} />
        </AccessProvider>
      );
  }
}

function Frame({ access }: { readonly access: Access }) {
  const { pathname } = useLocation();
  const { as_of: asOf } = useSearch({ from: '__root__' });
  /** The page on which the menu was opened; the menu closes on another page. */
  const [menuOf, setMenuOf] = useState<string>();
  const isMenuOpen = menuOf === pathname;
  const open = useOpenCount() ?? 0;
  const palette = usePalette();
  const { isAway, isRefused } = useKeptView(access.project.id);
  const title = usePlaceName();
  useEffect(() => {
    document.title = title ? `${title} · Farthing` : 'Farthing';
  }, [title]);
  return (
    <>
      <Unreached isRefused={isRefused} />
      <div className="min-h-dvh print:block lg:grid lg:grid-cols-[14rem_minmax(0,1fr)]">
        <a
          href="#page"
          className="absolute -top-20 left-2 z-50 rounded-lg bg-accent px-3 py-2 text-onaccent focus:top-2"
        >
          Skip to the page
        </a>
        <header className="sticky top-0 print:hidden z-20 border-line bg-canvas max-lg:border-b lg:h-dvh lg:border-r">
          <div className="flex items-center justify-between px-4 py-3 lg:px-5 lg:py-5">
            <Wordmark />
            <span className="flex lg:hidden">
              <Button kind="quiet" className="px-2" aria-label="Go to…" onClick={palette.open}>
                <Icon name="search" className="size-5" />
              </Button>
              <Button
                kind="quiet"
                className="relative px-2"
                aria-expanded={isMenuOpen}
                aria-label={open > 0 ? `Menu, ${open} alerts open` : 'Menu'}
                onClick={() => setMenuOf(isMenuOpen ? undefined : pathname)}
              >
                <Icon name="menu" className="size-5" />
                {open > 0 && <span className="absolute top-1.5 right-1.5 size-2 rounded-full bg-bad" />}
              </Button>
            </span>
          </div>
          <div
            className={`px-3 pb-4 lg:flex lg:h-[calc(100dvh-4.5rem)] lg:flex-col ${isMenuOpen ? '' : 'max-lg:hidden'}`}
          >
            <ProjectPicker access={access} />
            <Button
              aria-keyshortcuts="Control+K Meta+K"
              className="mx-0.5 mt-2 justify-start font-normal text-mute max-lg:hidden"
              onClick={palette.open}
            >
              <Icon name="search" />
              Go to…
              <kbd className="ml-auto rounded border border-line px-1.5 py-0.5 font-sans text-xs">{paletteKeys}</kbd>
            </Button>
            <nav aria-label="Pages" className="mt-2 grid auto-rows-min gap-px lg:min-h-0 lg:overflow-y-auto">
              {[undefined, ...placeGroups].map((group) => (
                <Group key={group ?? ''} group={group}>
                  {places
                    .filter(
                      ({ of, isOfOwner, ...place }) =>
                        place.group === group &&
                        (of ?? access.project.type) === access.project.type &&
                        (access.isOwner || !isOfOwner),
                    )
                    .map(({ to, label, icon }) => (
                      <Link
                        key={to}
                        to={to}
                        search={toCarried(to, pathname)}
                        activeOptions={{ exact: to === '/', includeSearch: false }}
                        className="flex h-6.5 items-center gap-2.5 rounded-lg px-2.5 text-[13px] text-mute max-lg:h-9 hover:bg-raised hover:text-ink aria-[current=page]:bg-raised aria-[current=page]:font-medium aria-[current=page]:text-ink"
                      >
                        <Icon name={icon} />
                        {label}
                        {to === '/alerts' && open > 0 && (
                          <span className="ml-auto rounded-full bg-badbg px-2 py-0.5 text-xs font-medium text-bad">
                            {open} <span className="sr-only">open</span>
                          </span>
                        )}
                      </Link>
                    ))}
                </Group>
              ))}
            </nav>
            <div className="mt-2 min-h-10 lg:mt-auto">
              <Suspense>
                <Foot access={access} />
              </Suspense>
            </div>
          </div>
        </header>
        <main
          id="page"
          ref={keepFocus}
          className="mx-auto w-full max-w-[1240px] min-w-0 min-[1920px]:max-w-[1440px] space-y-4 p-4 pb-16 sm:p-6 lg:p-8 print:max-w-none print:p-0"
        >
          {/* The report says it in its own head. */}
          <p className="hidden text-mute print:[main:not(:has(.paper))>&]:block">{access.project.name}</p>
          {places.some(({ to, of }) => `${pathname}/`.startsWith(`${to}/`) && of && of !== access.project.type) ? (
            <NotFound />
          ) : isAway ? (
            <Away />
          ) : asOf === undefined ? (
            <Outlet />
          ) : (
            <Suspense>
              <AsOf>
                <Outlet />
              </AsOf>
            </Suspense>
          )}
        </main>
        {palette.element}
      </div>
    </>
  );
}

/** The pages of a group of the menu below its heading; those of none stand alone. */
const Group = ({ group, children }: { readonly group: PlaceGroup | undefined; readonly children: ReactNode }) =>
  group === undefined ? (
    children
  ) : (
    // biome-ignore lint/a11y/useSemanticElements: links are no fields
    <div role="group" aria-label={group} className="grid gap-px">
      <p aria-hidden="true" className="mt-1.5 px-2.5 text-[11px] leading-4.5 font-medium text-mute">
        {group}
      </p>
      {children}
    </div>
  );

function ProjectPicker({ access }: { readonly access: Access }) {
  const change = useChangeSearch();
  const { project, projects, isAdmin } = access;
  if (!isAdmin && projects.length < 2) return <p className="truncate px-2.5 text-[13px] font-medium">{project.name}</p>;
  return (
    <div className="px-0.5">
      <SelectBox
        aria-label="Project"
        value={project.id}
        options={Object.fromEntries(projects.map(({ id, name }) => [id, name]))}
        onChange={({ target }) =>
          change({
            project: target.value,
            customers: undefined,
            features: undefined,
            models: undefined,
            providers: undefined,
            users: undefined,
            ctags: undefined,
            rtags: undefined,
            utags: undefined,
            metric: undefined,
            budget: undefined,
            of: undefined,
            close: undefined,
            as_of: undefined,
          })
        }
      />
    </div>
  );
}
