import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, useEffect, useState } from 'react';
import { askApi } from '../api/client.ts';
import type { Project } from '../api/types.ts';
import { toDay } from '../lib/format.ts';
import { projectsKey, sessionKey, useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, ErrorNote, Field } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { projectTypes } from './new-project.tsx';

/** How long the button says "Saved", in milliseconds. */
const savedMs = 3_000;

const spellTags = ({ tag_dimensions: keys }: Project): string => keys.join(', ');

/** The project's name, timezone, risk threshold, retention, and what is kept and joined; only owners change them. */
export function ProjectCard() {
  const { project, isOwner } = useAccess();
  const queries = useQueryClient();
  const [name, setName] = useState(project.name);
  const [timezone, setTimezone] = useState(project.timezone);
  const [threshold, setThreshold] = useState(project.at_risk_below_pct?.toString() ?? '');
  const [retention, setRetention] = useState(project.retention_days?.toString() ?? '');
  const [keepsContent, setKeepsContent] = useState(project.keep_content);
  const [joinsAlike, setJoinsAlike] = useState(project.join_alike);
  const [tags, setTags] = useState(spellTags(project));
  const retentionDays = retention.trim() === '' ? null : Number(retention);
  const deletesMore =
    retentionDays !== null && (project.retention_days === null || retentionDays < project.retention_days);
  const save = useMutation({
    mutationFn: () =>
      askApi(`/admin/projects/${project.id}/`, {
        method: 'PATCH',
        body: {
          name,
          ...(timezone !== project.timezone && { timezone }),
          at_risk_below_pct: threshold.trim() === '' ? null : Number(threshold),
          ...(retentionDays !== project.retention_days && { retention_days: retentionDays }),
          keep_content: keepsContent,
          join_alike: joinsAlike,
          ...(tags !== spellTags(project) && {
            tag_dimensions: tags
              .split(',')
              .map((key) => key.trim())
              .filter(Boolean),
          }),
        },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: projectsKey });
      await queries.invalidateQueries({ queryKey: sessionKey });
    },
  });
  const { isSuccess, reset } = save;
  useEffect(() => {
    if (!isSuccess) return undefined;
    const timer = setTimeout(reset, savedMs);
    return () => clearTimeout(timer);
  }, [isSuccess, reset]);
  /** A changed field is not saved yet, so the button stops saying "Saved". */
  const changing =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      reset();
      set(value);
    };
  const typing = (set: (text: string) => void) => {
    const change = changing(set);
    return ({ target }: ChangeEvent<HTMLInputElement>) => change(target.value);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Card>
      <CardHead
        title="Project"
        about={isOwner ? undefined : 'Only owners of the project and the admin token can change these.'}
      />
      <form onSubmit={submit} className="space-y-3 border-t border-line p-4">
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Name" required disabled={!isOwner} value={name} onChange={typing(setName)} />
          <Field label="Type" disabled value={projectTypes[project.type]} />
          <Field
            label="Timezone"
            required
            disabled={!isOwner}
            value={timezone}
            onChange={typing(setTimezone)}
            hint={
              project.pending_timezone === null
                ? 'A change rebuilds all days'
                : `Changing to ${project.pending_timezone}`
            }
          />
          <Field
            label="At risk below a margin of (percent)"
            type="number"
            step="any"
            max={100}
            disabled={!isOwner}
            value={threshold}
            onChange={typing(setThreshold)}
            hint="Empty: no customer is marked at risk"
          />
          <Field
            label="Keep events and calls for (days)"
            type="number"
            min={1}
            max={36_500}
            disabled={!isOwner}
            value={retention}
            onChange={typing(setRetention)}
            hint={
              project.kept_from === null
                ? 'Empty: for ever. Totals are always kept'
                : `Empty: for ever. Days before ${toDay(project.kept_from)} have only totals`
            }
          />
          <Field
            label="Tags of calls to roll up"
            disabled={!isOwner}
            value={tags}
            onChange={typing(setTags)}
            hint="At most 8, separated by commas: costs by them are as fast as by feature"
          />
        </div>
        <Switch
          name="Keep prompts and answers of OpenTelemetry"
          hint="Otherwise they are dropped before an event is stored"
          disabled={!isOwner}
          isOn={keepsContent}
          onChange={changing(setKeepsContent)}
        />
        <Switch
          name="Join reports of a call that are alike"
          hint="Where they share no id: of one process, model, output and time. A rebuild applies it to the past"
          disabled={!isOwner}
          isOn={joinsAlike}
          onChange={changing(setJoinsAlike)}
        />
        {save.error && <ErrorNote problem={save.error} />}
        {isOwner &&
          (deletesMore ? (
            <ConfirmButton disabled={save.isPending} onConfirm={() => save.mutate()}>
              Save, and delete older events for good
            </ConfirmButton>
          ) : (
            <Button type="submit" kind="main" disabled={save.isPending}>
              {save.isSuccess ? 'Saved' : 'Save'}
            </Button>
          ))}
      </form>
    </Card>
  );
}

interface SwitchProps {
  readonly name: string;
  readonly hint: string;
  readonly disabled: boolean;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

const Switch = ({ name, hint, disabled, isOn, onChange }: SwitchProps) => (
  <label className="flex gap-2 text-sm">
    <input
      type="checkbox"
      className="mt-0.5 accent-accent"
      disabled={disabled}
      checked={isOn}
      onChange={({ target }) => onChange(target.checked)}
    />
    <span>
      {name}
      <span className="block text-mute text-xs">{hint}</span>
    </span>
  </label>
);
