import type { Firing } from '../api/types.ts';
import { toTime } from '../lib/format.ts';
import { fromService } from '../lib/from-service.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, buttonLook, Card, CardHead, CardSkeleton, Empty, FailureNote } from '../ui/basics.tsx';
import { MaybeDoor } from '../ui/door.tsx';
import { PathLink, toPageName } from '../ui/path-link.tsx';
import { Prose } from '../ui/prose.tsx';
import { toAge } from './age.ts';
import { toPartWords } from './explanation.ts';
import { useFirings } from './firings.ts';
import { kindLabels } from './kinds.ts';
import { type NumberWords, toNames, toNumberWords } from './numbers.ts';

const pageRows = 20;

export const useOpenFirings = () => useFirings({ state: 'open', limit: pageRows });

/** What holds now, the newest first. */
export function OpenCard() {
  const open = useOpenFirings();
  return (
    <Card aria-label="Open alerts">
      <CardHead title="Open" />
      <FailureNote answer={open} className="m-4 mt-0" />
      {open.isPending ? (
        <CardSkeleton className="h-24" />
      ) : (
        open.firings?.length === 0 && (
          <Empty title="All is well">
            Whatever fires appears here with its numbers, until its cause ends. What is watched stands below.
          </Empty>
        )
      )}
      {open.firings && open.firings.length > 0 && (
        <ul>
          {open.firings.map((firing) => (
            <OpenFiring key={firing.id} firing={firing} />
          ))}
        </ul>
      )}
      {open.hasMore && (
        <div className="border-t border-line px-4 py-2">
          <Button disabled={open.isAskingMore} onClick={open.askMore}>
            Show more
          </Button>
        </div>
      )}
    </Card>
  );
}

function OpenFiring({ firing }: { readonly firing: Firing }) {
  const { project } = useAccess();
  const { kind, title, text, numbers, started_at: since, path } = firing;
  const names = toNames(firing);
  const parts = toPartWords(numbers);
  return (
    <li className="border-t border-line px-4 py-3.5">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-center gap-2 font-medium">
            <span className="min-w-0 break-words">{fromService(title, ...names)}</span>
            <Badge tone="bad">{kindLabels[kind]}</Badge>
          </h3>
          <p className="mt-1 break-words">
            <Prose>{fromService(text, ...names)}</Prose>
          </p>
        </div>
        <div className="flex items-center gap-3 sm:flex-col sm:items-end sm:gap-1.5">
          <PathLink path={path} className={buttonLook}>
            Show {toPageName(path)}
          </PathLink>
          <p className="text-xs text-mute">
            since {toTime(since, project.timezone)}{' '}
            <span className="whitespace-nowrap">({toAge(Date.now() - Date.parse(since))})</span>, with the numbers of
            then
          </p>
        </div>
      </div>
      <NumbersLine numbers={toNumberWords(numbers, project.timezone)} />
      {parts.length > 0 && (
        <>
          <p className="mt-2 text-xs text-mute">What changed the cost most from a week before</p>
          <NumbersLine numbers={parts} />
        </>
      )}
    </li>
  );
}

const NumbersLine = ({ numbers }: { readonly numbers: readonly NumberWords[] }) => (
  <dl className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-xs">
    {numbers.map(({ name, label, text, calls }) => (
      <div key={name} className="flex gap-1.5">
        <dt className="text-mute">{label}</dt>
        <dd className="font-medium">
          <MaybeDoor door={calls && { to: '/calls', search: { ...calls, order: 'dearest' } }}>{text}</MaybeDoor>
        </dd>
      </div>
    ))}
  </dl>
);
