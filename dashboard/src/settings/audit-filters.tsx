import { auditKinds } from '../../../src/storage/control/audit/tables-by-name.ts';
import type { AuditQuery } from '../api/types.ts';
import { addDays } from '../lib/days.ts';
import { toTitle, toWords } from '../lib/format.ts';
import { startOfDay } from '../lib/start-of-day.ts';
import { Field, Select } from '../ui/basics.tsx';
import { DateField } from '../ui/date-field.tsx';

/** What is typed above the list; an empty text filters nothing. */
export interface AuditFilter {
  readonly kind: string;
  readonly who: string;
  readonly subject: string;
  /** Days of the project, both included. */
  readonly from: string;
  readonly to: string;
}

export const noFilter: AuditFilter = { kind: '', who: '', subject: '', from: '', to: '' };

export const toLabel = (kind: string): string => toTitle(toWords(kind)).replace('Api', 'API');
const labels = Object.fromEntries(auditKinds.map((kind) => [kind, toLabel(kind)]));

/** The filter as the API takes it. */
export function toAuditQuery({ kind, who, subject, from, to }: AuditFilter, timezone: string): string {
  const asked: Partial<Record<keyof AuditQuery, string>> = {
    kind,
    // The list says "admin token".
    who: who.trim() === 'admin token' ? 'admin_token' : who.trim(),
    subject: subject.trim(),
    from: from && startOfDay(timezone, from),
    to: to && startOfDay(timezone, addDays(to, 1)),
  };
  return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== '')).toString();
}

interface AuditFiltersProps {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
  /** Whom to offer. */
  readonly names: readonly string[];
}

export function AuditFilters({ filter, onChange, names }: AuditFiltersProps) {
  const bind = (field: keyof AuditFilter) => ({
    value: filter[field],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange({ ...filter, [field]: target.value }),
  });
  return (
    <search className="grid grid-cols-2 gap-2 px-4 pb-3 sm:grid-cols-5">
      <Select label="Kind of change" options={{ '': 'All kinds', ...labels }} {...bind('kind')} />
      <Field label="Who" list="audit-names" placeholder="name or id" maxLength={1_024} {...bind('who')} />
      <datalist id="audit-names">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label="What" placeholder="name or id" maxLength={1_024} {...bind('subject')} />
      <DateField label="From" {...bind('from')} />
      <DateField label="To" {...bind('to')} />
    </search>
  );
}
