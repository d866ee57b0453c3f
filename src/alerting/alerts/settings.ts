import { z } from 'zod';
import { type AlertKind, alertKinds, definitions, type Kinds } from '../kinds/kinds.ts';
import type { Setting, SettingsOf } from '../rule/kind.ts';

/** The schema of a setting, without its default. */
function schemaOf(setting: Setting): z.ZodNumber | z.ZodBoolean {
  if (!('least' in setting)) return z.boolean();
  const number = setting.isWhole ? z.number().int() : z.number();
  return number.min(setting.least).max(setting.most);
}

export const settingsWithDefaults = (kind: AlertKind) => mapSettings(kind, withDefault);

export const optionalSettings = (kind: AlertKind) =>
  mapSettings(kind, (setting) => schemaOf(setting).optional().describe(setting.about));

function withDefault(setting: Setting): z.ZodDefault {
  // The default of a setting is of its schema's type, which the compiler does not relate.
  const schema: z.ZodType = schemaOf(setting);
  return schema.default(setting.default).describe(setting.about);
}

const mapSettings = <T>(kind: AlertKind, map: (setting: Setting) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(definitions[kind].settings).map(([name, setting]) => [name, map(setting)]));

const schemas = Object.fromEntries(alertKinds.map((kind) => [kind, z.object(settingsWithDefaults(kind))])) as Readonly<
  Record<AlertKind, z.ZodObject>
>;

/** The settings of a kind: those stored for a project, and the defaults of all others. */
export const resolveSettings = <K extends AlertKind>(kind: K, stored: unknown): SettingsOf<Kinds[K]> =>
  // The definition of a kind has its settings, which the compiler does not relate to K.
  schemas[kind].parse(stored) as SettingsOf<Kinds[K]>;
