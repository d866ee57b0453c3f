import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { ApiProblem, isPassing } from '../api/client.ts';
import type { MarginRow, RiskStatus } from '../api/types.ts';
import { toExactCount } from '../lib/format.ts';
import { Icon } from './icons.tsx';
import { Prose } from './prose.tsx';

type ButtonKind = 'plain' | 'main' | 'danger' | 'quiet';
const buttonKinds: Readonly<Record<ButtonKind, string>> = {
  plain: 'border border-line bg-card hover:bg-raised',
  main: 'bg-accent text-onaccent border border-transparent hover:opacity-90',
  danger: 'border border-line bg-card text-bad hover:bg-badbg',
  quiet: 'border border-transparent hover:bg-raised text-mute hover:text-ink',
};

export const Button = ({
  kind = 'plain',
  className = '',
  ...props
}: ComponentProps<'button'> & { readonly kind?: ButtonKind }) => (
  <button
    type="button"
    {...props}
    className={`inline-flex h-9 items-center justify-center gap-2 rounded-lg px-3 text-[13px] font-medium whitespace-nowrap transition-colors disabled:opacity-50 ${buttonKinds[kind]} ${className}`}
  />
);

/** The look of a button for what is none, such as a link. Paper has neither. */
export const buttonLook =
  'inline-flex h-9 items-center justify-center gap-2 rounded-lg border border-line bg-card px-3 text-[13px] font-medium whitespace-nowrap hover:bg-raised print:hidden';

export const Card = ({ className = '', children, ...props }: ComponentProps<'section'>) => (
  <section
    {...props}
    className={`min-w-0 rounded-xl border border-line bg-card shadow-[0_1px_2px_rgb(0_0_0/0.04)] ${className}`}
  >
    {children}
  </section>
);

interface CardHeadProps {
  readonly title: ReactNode;
  /** A line below the title. A text that is empty at first keeps the place of two lines in a narrow window. */
  readonly about?: ReactNode;
  readonly children?: ReactNode;
}

export function CardHead({ title, about, children }: CardHeadProps) {
  const [isLate] = useState(about === '');
  return (
    <header className="flex min-h-14 flex-wrap items-center justify-between gap-2 px-4 py-2">
      {/* A line that comes late wraps in its own place, and moves no button below it. */}
      <div className={`min-w-0 ${isLate ? 'basis-full sm:flex-1 sm:basis-72' : ''}`}>
        <h2 className="text-[15px] font-semibold">{title}</h2>
        {about !== undefined && (
          <p className={`min-h-5 text-[13px] break-words text-mute ${isLate ? 'max-lg:min-h-10' : ''}`}>
            <Prose>{about}</Prose>
          </p>
        )}
      </div>
      <div data-actions className="flex flex-wrap items-center gap-1.5">
        {children}
      </div>
    </header>
  );
}

/** The tools of a table that has no head of its own, above it. */
export const Toolbar = ({ children }: { readonly children: ReactNode }) =>
  children && (
    <div data-actions className="flex flex-wrap items-center justify-end gap-1.5 px-4 pb-2">
      {children}
    </div>
  );

interface PageHeadProps {
  readonly title: ReactNode;
  readonly about?: ReactNode;
  readonly children?: ReactNode;
}

export const PageHead = ({ title, about, children }: PageHeadProps) => (
  <div className="flex flex-wrap items-end justify-between gap-3">
    <div className="min-w-0">
      <h1 className="text-xl font-semibold break-words">{title}</h1>
      {about !== undefined && (
        <p className="mt-0.5 text-mute">
          <Prose>{about}</Prose>
        </p>
      )}
    </div>
    <div className="flex flex-wrap items-end gap-3">{children}</div>
  </div>
);

export const Skeleton = ({ className = '' }: { readonly className?: string }) => (
  <span aria-hidden="true" className={`block animate-pulse rounded-md bg-raised ${className}`} />
);

/** In place of what a card has below its head. */
export const CardSkeleton = ({ className }: { readonly className: string }) => (
  <div className="border-t border-line p-4">
    <Skeleton className={className} />
  </div>
);

interface ErrorNoteProps {
  readonly problem: unknown;
  /** The label of a field by its name: a reader knows no other. */
  readonly labelOf?: (name: string) => string | undefined;
  readonly retry?: (() => void) | undefined;
  readonly className?: string;
}

/** An answer of the service, or what it failed by and how to ask again; undefined where it is not asked. */
export type Answer = { readonly error: unknown; readonly refetch: () => unknown } | undefined;

/** What an answer failed by, and a button that asks again. */
export const FailureNote = ({ answer, className }: { readonly answer: Answer; readonly className?: string }) =>
  answer?.error ? (
    <ErrorNote problem={answer.error} retry={() => void answer.refetch()} {...(className && { className })} />
  ) : null;

/** The last name of a JSON pointer: what a reader typed there. */
const toPlace = (pointer: string): string =>
  (pointer.split('/').findLast((step) => step !== '' && !/^\d+$/.test(step)) ?? 'What was sent')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');

/** What is wrong with a field, for who types and sends no JSON. */
const toFieldWords = (message: string): string =>
  message
    .replace('a number or a decimal string', 'a number')
    .replaceAll(/(?<![\w.-])\d{5,}(?![\w.-])/g, (digits) => toExactCount(Number(digits)));

/** Shows what went wrong and what to do, with the service's message. */
export function ErrorNote({ problem, labelOf, retry, className = '' }: ErrorNoteProps) {
  const isKnown = problem instanceof ApiProblem;
  // What was asked is wrong, which asking again does not change.
  const isRefused = isKnown && problem.status >= 400 && problem.status < 500 && !isPassing(problem);
  // What its message names is not said twice.
  const errors = isKnown ? problem.errors.filter(({ message }) => !problem.message.includes(message)) : [];
  return (
    <div
      role="alert"
      className={`flex flex-wrap items-start gap-3 rounded-lg bg-badbg px-4 py-3 text-bad ${className}`}
    >
      <Icon name="alert" className="mt-0.5 size-4" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {errors.length > 0
            ? `Correct ${errors.length === 1 ? 'this' : 'these'}:`
            : problem instanceof Error
              ? problem.message
              : 'Something went wrong.'}
        </p>
        {errors.length > 0 && (
          <ul className="mt-1 list-disc pl-4">
            {errors.map(({ pointer, message }) => (
              <li key={pointer + message}>
                <strong className="font-medium">
                  {labelOf?.(toPlace(pointer)) ?? toPlace(pointer).replaceAll('_', ' ')}
                </strong>{' '}
                {toFieldWords(message)}
              </li>
            ))}
          </ul>
        )}
        {isKnown && !isRefused && problem.requestId !== undefined && (
          <p className="mt-1 text-xs break-all opacity-80">Request {problem.requestId}</p>
        )}
      </div>
      {retry && !isRefused && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="border-t border-line px-4 py-8 text-center first:border-0">
    <p className="font-medium">{title}</p>
    {children !== undefined && <div className="mx-auto mt-1 max-w-md text-balance text-mute">{children}</div>}
  </div>
);

type Tone = 'good' | 'bad' | 'warn' | 'plain';
const tones: Readonly<Record<Tone, string>> = {
  good: 'bg-goodbg text-good',
  bad: 'bg-badbg text-bad',
  warn: 'bg-warnbg text-warn',
  plain: 'bg-raised text-mute',
};

export const Badge = ({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) => (
  <span
    className={`inline-block max-w-full rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${tones[tone]}`}
  >
    {children}
  </span>
);

/** Where no call has a price, so that nothing is known of the cost. */
export const NoPriceBadge = () => <Badge tone="warn">no price</Badge>;

const risks: Readonly<Record<RiskStatus, { readonly tone: Tone; readonly label: string }>> = {
  healthy: { tone: 'good', label: 'healthy' },
  at_risk: { tone: 'warn', label: 'at risk' },
  unprofitable: { tone: 'bad', label: 'unprofitable' },
};

interface RiskBadgeProps {
  readonly row: Pick<MarginRow, 'revenue' | 'cost' | 'risk_status'>;
  /** Whether the row is of a customer, and revenue is known at all. */
  readonly isKnown: boolean;
  /** Whether nothing is known of its cost. */
  readonly isUnpriced: boolean;
  /** Whether that is not known yet. */
  readonly isPending?: boolean;
}

/** Whether a status says anything: nothing earned and nothing spent is neither healthy nor at risk. */
export const hasFigures = ({ revenue, cost }: RiskBadgeProps['row']): boolean => revenue !== 0 || cost !== 0;

export const RiskBadge = ({ row, isKnown, isUnpriced, isPending = false }: RiskBadgeProps) =>
  isPending ? (
    <Skeleton className="h-5 w-16" />
  ) : isUnpriced ? (
    <NoPriceBadge />
  ) : isKnown && hasFigures(row) ? (
    <Badge tone={risks[row.risk_status].tone}>{risks[row.risk_status].label}</Badge>
  ) : (
    <span className="text-mute">–</span>
  );

export const inputClass =
  'h-9 w-full rounded-lg border border-line bg-card px-3 text-[13px] text-ink placeholder:text-mute disabled:opacity-50';

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly hint?: string;
}

export const Field = ({ label, hint, className = '', ...props }: FieldProps) => (
  <label className={`block ${className}`}>
    <span className="mb-1 block text-xs font-medium text-mute">{label}</span>
    <input {...props} className={inputClass} />
    {hint !== undefined && <span className="mt-1 block text-xs text-mute">{hint}</span>}
  </label>
);

interface SearchFieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly onType: (typed: string) => void;
}

/** A field to search or filter by typing; it has no room for a visible label. */
export const SearchField = ({ label, onType, className = '', ...props }: SearchFieldProps) => (
  <input
    {...props}
    type="search"
    aria-label={label}
    onChange={({ target }) => onType(target.value)}
    className={`${inputClass} ${className}`}
  />
);

interface SelectBoxProps extends ComponentProps<'select'> {
  readonly options: Readonly<Record<string, string>>;
}

/** The browser's own select element, styled like the other inputs. */
export const SelectBox = ({ options, className = '', ...props }: SelectBoxProps) => (
  <span className="relative block max-w-full">
    <select {...props} className={`${inputClass} appearance-none pr-8 ${className}`}>
      {Object.entries(options).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
    <Icon name="chevron" className="pointer-events-none absolute top-2.5 right-2.5 size-4 text-mute" />
  </span>
);

/** A bar for a share from 0 to 1. The number is shown beside it. */
export const Bar = ({ share, className }: { readonly share: number; readonly className: string }) => (
  <svg
    viewBox="0 0 100 2"
    preserveAspectRatio="none"
    className={`h-1.5 overflow-hidden rounded-full ${className}`}
    aria-hidden="true"
  >
    <rect width="100" height="2" className="fill-line" />
    <rect width={100 * share} height="2" />
  </svg>
);

/** The visual state of a switch. */
export const SwitchMark = ({ isOn }: { readonly isOn: boolean }) => (
  <svg viewBox="0 0 24 14" aria-hidden="true" className="h-3.5 w-6">
    <rect width="24" height="14" rx="7" className={isOn ? 'fill-accent' : 'fill-mute/50'} />
    <circle cx={isOn ? 17 : 7} cy="7" r="5" className="fill-card" />
  </svg>
);

interface SelectProps extends ComponentProps<'select'> {
  readonly label: string;
  readonly options: Readonly<Record<string, string>>;
}

export function Select({ label, options, className = '', ...props }: SelectProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-xs font-medium text-mute">
        {label}
      </label>
      <SelectBox {...props} id={id} options={options} />
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: Readonly<Partial<Record<T, string>>>;
  readonly value: T;
  readonly onChoose: (value: T) => void;
}

/** A few options side by side, one of them selected. */
export function Choice<T extends string>({ label, options, value, onChoose }: ChoiceProps<T>) {
  const entries = Object.entries(options) as [T, string][];
  return (
    <fieldset
      aria-label={label}
      className="inline-flex max-w-full min-w-0 flex-wrap rounded-lg border border-line bg-card p-1"
    >
      {entries.map(([option, text]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => onChoose(option)}
          className={`h-7 rounded-md px-2.5 text-[13px] whitespace-nowrap ${option === value ? 'bg-ink font-medium text-card' : 'text-mute hover:text-ink'}`}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
