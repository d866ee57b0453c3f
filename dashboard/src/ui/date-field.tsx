import { type ComponentProps, useState } from 'react';
import { toDay } from '../lib/format.ts';
import { Field } from './basics.tsx';

/**
 * A field for a day. The browser's own input writes days in its form, such as 11/03/2026, so the page's form covers it while
 * nobody types.
 */
export function DateField({ onChange, className = '', ...props }: ComponentProps<typeof Field>) {
  const [typed, setTyped] = useState(String(props.value ?? props.defaultValue ?? ''));
  const day = props.value === undefined ? typed : String(props.value);
  return (
    <div className={`group relative ${className}`}>
      <Field
        {...props}
        type="date"
        onChange={(event) => {
          setTyped(event.target.value);
          onChange?.(event);
        }}
      />
      <span
        aria-hidden="true"
        className={`pointer-events-none absolute top-[21px] left-px flex h-[34px] w-30 items-center rounded-lg bg-card pl-3 text-[13px] group-focus-within:hidden ${day === '' ? 'text-mute' : ''}`}
      >
        {day === '' ? 'No day' : toDay(day)}
      </span>
    </div>
  );
}
