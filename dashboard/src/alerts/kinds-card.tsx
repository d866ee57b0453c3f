import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Setting } from '../../../src/alerting/rule/kind.ts';
import { useAsk, useRefresh, useSend } from '../api/queries.ts';
import type { Alert } from '../api/types.ts';
import { useAlerts } from '../state/alerts.ts';
import { useAccess } from '../state/session.tsx';
import {
  Badge,
  Button,
  Card,
  CardHead,
  CardSkeleton,
  ErrorNote,
  FailureNote,
  Field,
  SwitchMark,
} from '../ui/basics.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { kinds } from './kinds.ts';

/** What is watched: the kinds of alerts with their settings. */
export function KindsCard() {
  const alerts = useAlerts();
  return (
    <Card aria-label="What is watched">
      <CardHead title="What is watched" />
      <FailureNote answer={alerts} className="m-4 mt-0" />
      {alerts.isPending && <CardSkeleton className="h-96" />}
      <ul>
        {alerts.data?.alerts.map((alert) => (
          <KindRow key={alert.kind} alert={alert} />
        ))}
      </ul>
    </Card>
  );
}

interface SettingValue {
  readonly name: string;
  readonly setting: Setting;
  readonly value: unknown;
}

/** The settings of an alert with their values. */
function settingsOf(alert: Alert): SettingValue[] {
  const values: Readonly<Record<string, unknown>> = alert;
  return Object.entries(kinds[alert.kind].settings).map(([name, setting]) => ({ name, setting, value: values[name] }));
}

const sayOf = ({ setting, value }: SettingValue): string =>
  'least' in setting ? setting.say(String(value)) : setting.say[value === true ? 0 : 1];

function KindRow({ alert }: { readonly alert: Alert }) {
  const { kind, enabled, open } = alert;
  const { label, about } = kinds[kind];
  const { canWrite } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const [isChanging, setChanging] = useState(false);
  const turning = useMutation({
    mutationFn: () => ask(`/api/alerts/${kind}/`, { method: 'PUT', body: { enabled: !enabled } }),
    onSuccess: refresh,
  });
  const values = settingsOf(alert).map(sayOf);
  return (
    <li className="border-t border-line px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {label}
            {open > 0 && <Badge tone="bad">{open} open</Badge>}
          </p>
          <p className="text-[13px] text-mute">
            {about} {values.length > 0 && <span className="text-ink">{toSentence(values)}</span>}
          </p>
        </div>
        <div className="flex gap-1.5">
          {canWrite && values.length > 0 && (
            <Button aria-label={`Change the alert ${label}`} onClick={() => setChanging(true)}>
              Change
            </Button>
          )}
          <Button
            role="switch"
            aria-checked={enabled}
            aria-label={label}
            disabled={!canWrite || turning.isPending}
            onClick={() => turning.mutate()}
          >
            <SwitchMark isOn={enabled} />
            <span aria-hidden="true" className="w-5 text-left">
              {enabled ? 'On' : 'Off'}
            </span>
          </Button>
        </div>
      </div>
      {turning.error && <ErrorNote problem={turning.error} className="mt-2" />}
      {isChanging && <KindForm alert={alert} onClose={() => setChanging(false)} />}
    </li>
  );
}

/** Settings in words as one sentence. */
function toSentence(values: readonly string[]): string {
  const text = values.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function KindForm({ alert, onClose }: { readonly alert: Alert; readonly onClose: () => void }) {
  const { label, about } = kinds[alert.kind];
  const settings = settingsOf(alert);
  const send = useSend();
  const save = async (fields: Fields) => {
    const entries = settings.map(({ name, setting }) => [
      name,
      'least' in setting ? toNumber(fields[name] ?? '') : fields[name] !== undefined,
    ]);
    await send(`/api/alerts/${alert.kind}/`, { method: 'PUT', body: Object.fromEntries(entries) });
  };
  return (
    <FormDialog title={label} action="Save it" save={save} onClose={onClose}>
      <p className="text-mute">{about}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        {settings.map(({ name, setting, value }) =>
          'least' in setting ? (
            <Field
              key={name}
              label={setting.label}
              name={name}
              required
              inputMode="decimal"
              defaultValue={String(value)}
              {...(setting.hint !== undefined && { hint: setting.hint })}
            />
          ) : (
            <label key={name} className="flex items-center gap-2 sm:col-span-2">
              <input type="checkbox" name={name} defaultChecked={value === true} className="accent-accent" />
              {setting.label}
            </label>
          ),
        )}
      </div>
    </FormDialog>
  );
}

/** A number; other text as typed, so that the service refuses it. */
const toNumber = (typed: string): number | string => (Number.isFinite(Number(typed)) ? Number(typed) : typed);
