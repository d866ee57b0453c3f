import type { ReactNode } from 'react';
import { Card, Skeleton } from './basics.tsx';
import { type DoorTo, MaybeDoor } from './door.tsx';
import type { IconName } from './icon-paths.ts';
import { Icon } from './icons.tsx';
import { Prose } from './prose.tsx';

interface FigureCardProps {
  readonly icon: IconName;
  readonly label: string;
  /** Undefined while loading. */
  readonly value: ReactNode;
  readonly about?: ReactNode;
  readonly tone?: 'bad' | undefined;
  /** Where the number leads: to what it is made of. */
  readonly door?: DoorTo | undefined;
}

/** One large number, with a comparison below. */
export const FigureCard = ({ icon, label, value, about, tone, door }: FigureCardProps) => (
  <Card className="p-4" aria-label={label}>
    <p className="flex items-center gap-2 text-[13px] font-medium text-mute">
      <Icon name={icon} />
      {label}
    </p>
    {value === undefined ? (
      <Skeleton className="mt-2 mb-1 h-7 w-28" />
    ) : (
      <p data-figure={label} className="mt-1.5 text-[22px] break-words leading-8 font-semibold tracking-tight">
        <MaybeDoor door={door}>{value}</MaybeDoor>
      </p>
    )}
    <p
      className={`mt-0.5 min-h-5 text-balance text-xs leading-5 max-sm:min-h-10 ${tone === 'bad' ? 'text-bad' : 'text-mute'}`}
    >
      <Prose>{value === undefined ? '' : about}</Prose>
    </p>
  </Card>
);
