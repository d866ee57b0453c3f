import type { AlertKind } from '../api/types.ts';
import { alertKinds, kindLabels } from './kinds.ts';

interface KindsChoiceProps {
  /** The chosen kinds; null for all. */
  readonly chosen: readonly AlertKind[] | null;
  readonly change: (chosen: readonly AlertKind[] | null) => void;
}

/** Chooses kinds of alerts, or all of them. */
export const KindsChoice = ({ chosen, change }: KindsChoiceProps) => (
  <fieldset className="rounded-lg border border-line p-3">
    <legend className="px-1 text-xs font-medium text-mute">Alerts</legend>
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        checked={chosen === null}
        onChange={({ target }) => change(target.checked ? null : alertKinds)}
        className="accent-accent"
      />
      All kinds
    </label>
    {chosen !== null && (
      <div className="mt-2 grid gap-1.5 border-t border-line pt-2 sm:grid-cols-2">
        {alertKinds.map((kind) => (
          <label key={kind} className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={chosen.includes(kind)}
              onChange={({ target }) =>
                change(target.checked ? [...chosen, kind] : chosen.filter((other) => other !== kind))
              }
              className="accent-accent"
            />
            {kindLabels[kind]}
          </label>
        ))}
      </div>
    )}
  </fieldset>
);
