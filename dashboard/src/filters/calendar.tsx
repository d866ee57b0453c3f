import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { addDays, addMonths, daysOfMonth, weekdayOf } from '../lib/days.ts';
import { toDay, toMonth } from '../lib/format.ts';
import { Button } from '../ui/basics.tsx';
import { Icon } from '../ui/icons.tsx';

const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];
const steps: Readonly<Record<string, (day: string) => string>> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
};

interface CalendarProps {
  readonly from: string;
  readonly to: string;
  readonly onChoose: (day: string) => void;
}

/** The days of a month, with the chosen ones marked. Arrow keys move from day to day. */
export function Calendar({ from, to, onChoose }: CalendarProps) {
  const [at, setAt] = useState(to);
  const grid = useRef<HTMLDivElement>(null);
  const isByKey = useRef(false);
  const days = daysOfMonth(at);
  const move = (event: KeyboardEvent) => {
    const next = steps[event.key]?.(at);
    if (next === undefined) return;
    event.preventDefault();
    isByKey.current = true;
    setAt(next);
  };
  // The focus follows the keyboard's day.
  useLayoutEffect(() => {
    if (isByKey.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    isByKey.current = false;
  });
  return (
    <div className="mt-2 border-t border-line pt-2">
      <div className="flex items-center justify-between">
        <Button kind="quiet" className="px-2" aria-label="Previous month" onClick={() => setAt(addMonths(at, -1))}>
          <Icon name="chevron" className="size-4 rotate-90" />
        </Button>
        <p aria-live="polite" className="text-[13px] font-medium">
          {toMonth(at)}
        </p>
        <Button kind="quiet" className="px-2" aria-label="Next month" onClick={() => setAt(addMonths(at, 1))}>
          <Icon name="chevron" className="size-4 -rotate-90" />
        </Button>
      </div>
      <div aria-hidden="true" className="grid grid-cols-7 text-center text-xs leading-7 text-mute">
        {weekdays.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <div ref={grid} className="grid grid-cols-7 text-center text-[13px]">
        {days.map((day, index) => (
          <button
            key={day}
            type="button"
            tabIndex={day === at ? 0 : -1}
            aria-label={toDay(day)}
            aria-pressed={day >= from && day <= to}
            style={index === 0 ? { gridColumnStart: weekdayOf(day) } : undefined}
            onKeyDown={move}
            onClick={() => {
              setAt(day);
              onChoose(day);
            }}
            className={`h-8 ${day === from || day === to ? 'rounded-md bg-accent font-medium text-onaccent' : day > from && day < to ? 'bg-raised' : 'rounded-md hover:bg-raised'}`}
          >
            {Number(day.slice(8))}
          </button>
        ))}
      </div>
    </div>
  );
}
