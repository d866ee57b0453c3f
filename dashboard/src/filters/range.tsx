import { useState } from 'react';
import { countDays } from '../lib/days.ts';
import { toDay, toDayRange } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { defaultPreset, type Preset, presets } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Choice } from '../ui/basics.tsx';
import { DateField } from '../ui/date-field.tsx';
import { Icon } from '../ui/icons.tsx';
import { Popover } from '../ui/popover.tsx';
import { Calendar } from './calendar.tsx';

/** The longest range of one answer, in days (D6.5). */
const maxDays = 3_660;

/** The ranges that are one click away. */
const quick = { '7d': '7 days', '4w': '4 weeks', lm: 'Last month' } as const;
const isQuick = (range: Preset): range is keyof typeof quick => Object.hasOwn(quick, range);

export function RangePicker() {
  const { search, days } = useQuestion();
  const change = useChangeSearch();
  const isCustom = search.from !== undefined;
  const range = search.range ?? defaultPreset;
  return (
    <>
      <Choice<Preset | ''>
        label="Range"
        options={quick}
        value={isCustom ? '' : range}
        onChoose={(chosen) => chosen !== '' && change(toRange(chosen))}
      />
      <Popover
        name={`Days: ${isCustom ? `${toDay(days.from)} to ${toDay(days.to)}` : presets[range]}`}
        label={
          <>
            <Icon name="calendar" />
            {isCustom ? toDayRange(days) : !isQuick(range) && presets[range]}
          </>
        }
      >
        {(close) => <RangePanel key={`${days.from}${days.to}`} close={close} />}
      </Popover>
    </>
  );
}

/** What the URL has for a range that moves on with the days. */
const toRange = (range: Preset) => ({ range, from: undefined, to: undefined, every: undefined });

function RangePanel({ close }: { readonly close: () => void }) {
  const { search, days } = useQuestion();
  const { project } = useAccess();
  const change = useChangeSearch();
  const [from, setFrom] = useState(days.from);
  const [to, setTo] = useState(days.to);
  /** The end of a range that was chosen first, until the other one is. */
  const [anchor, setAnchor] = useState<string>();
  const isValid = from !== '' && to !== '' && from <= to && countDays(from, to) <= maxDays;
  const choose = (range: Preset) => {
    change(toRange(range));
    close();
  };
  return (
    <>
      <div className="grid grid-cols-2 gap-1">
        {(Object.entries(presets) as [Preset, string][]).map(([preset, label]) => (
          <Button
            key={preset}
            kind="quiet"
            aria-pressed={search.from === undefined && preset === (search.range ?? defaultPreset)}
            className="justify-start aria-pressed:bg-raised aria-pressed:text-ink"
            onClick={() => choose(preset)}
          >
            {label}
          </Button>
        ))}
      </div>
      <Calendar
        from={from}
        to={to}
        onChoose={(day) => {
          const [first, last] = anchor !== undefined && anchor <= day ? [anchor, day] : [day, anchor ?? day];
          setFrom(first);
          setTo(last);
          setAnchor(anchor === undefined ? day : undefined);
        }}
      />
      <form
        className="mt-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isValid) return;
          change({ from, to, range: undefined, every: undefined });
          close();
        }}
      >
        <div className="grid grid-cols-2 gap-2">
          <DateField label="First day" value={from} onChange={({ target }) => setFrom(target.value)} />
          <DateField label="Last day" value={to} onChange={({ target }) => setTo(target.value)} />
        </div>
        <Button type="submit" kind="main" className="mt-2 w-full" disabled={!isValid}>
          Show these days
        </Button>
        <p className="mt-2 text-xs text-mute">Days in {project.timezone}.</p>
      </form>
    </>
  );
}
