/** What everything but its rule knows of a kind of alert. The dashboard reads it too, so it imports nothing of the service. */
export interface KindDefinition {
  readonly label: string;
  /** When it fires, as a sentence. */
  readonly about: string;
  readonly settings: Readonly<Record<string, Setting>>;
  /**
   * When it is looked at: `intervals` while there are new calls, in multiples of the shortest interval between two
   * looks; `clockMs` at least that many milliseconds after the last look, for causes that no call brings.
   */
  readonly every: EveryNews | { readonly clockMs: number };
  /** Whether a project without calls can have causes. */
  readonly needsNoCalls?: true;
  /** Whether the first look of a day is about all days since the last look, and another about today follows. */
  readonly looksBack?: true;
  /** The numbers of its firings that are USD. */
  readonly amounts?: readonly string[];
}

interface EveryNews {
  readonly intervals: number;
  /** The longest time between two looks while there are new calls, in milliseconds. */
  readonly mostMs?: number;
  /** For how long after the last calls it is looked at each minute, in milliseconds, because causes end without any. */
  readonly trailingMs?: number;
  /** Whether its looks come before those of other kinds, at all projects. */
  readonly isUrgent?: true;
}

export type Setting = NumberSetting | SwitchSetting;

interface AnySetting {
  /** For the API's document. */
  readonly about: string;
  /** In the form of the dashboard. */
  readonly label: string;
}

interface NumberSetting extends AnySetting {
  readonly default: number;
  readonly least: number;
  readonly most: number;
  readonly isWhole?: boolean;
  readonly hint?: string;
  readonly say: (value: string) => string;
}

interface SwitchSetting extends AnySetting {
  readonly default: boolean;
  /** The setting in words, when it is on and when it is off. */
  readonly say: readonly [on: string, off: string];
}

/** The values of a kind's settings. */
export type SettingsOf<Kind extends KindDefinition> = {
  readonly [N in keyof Kind['settings']]: Kind['settings'][N] extends { readonly default: boolean } ? boolean : number;
};

/** Bounds of settings. Those of the same name have the same bounds in all kinds. */
export const days = { least: 1, most: 90, isWhole: true } as const;
export const usd = { least: 0, most: 1_000_000_000 } as const;
export const count = { least: 1, most: 1_000_000_000, isWhole: true } as const;

/** A count with its noun: `1 call`, `2 calls`. */
export const toCounted = (value: string, noun: string): string => `${value} ${noun}${value === '1' ? '' : 's'}`;
