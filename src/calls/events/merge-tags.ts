import { namedDimensions } from '../../lib/dimensions.ts';
import { type Attributes, aliasesOf, resolveDimensions } from '../attribution.ts';

type Tags = Readonly<Record<string, string>>;

/** The tags of a report or of a span around it. */
export interface Said {
  /** What a user has set. */
  readonly own: Tags;
  /** What holds where nobody has said otherwise: a library's name for itself, or the process's resource. */
  readonly weak: Tags;
}

/** The field of the log with the names of a call's weak tags, one a line. */
const weakField = 'weak_tags';

/** Notes the names of an event's weak tags, which spans and log records have. */
export function noteWeakTags(event: Readonly<Record<string, unknown>>, fields: Record<string, string>): void {
  const { weak_tags: names } = event;
  if (!Array.isArray(names)) return;
  const texts = (names as readonly unknown[]).filter((name) => typeof name === 'string' && name.length <= 128);
  if (texts.length > 0) fields[weakField] = texts.join('\n');
}

/** The tags of a report. A dimension that it names in a field is one of them, so that others can take it over. */
export function saidBy({ tags, fields }: Attributes): Said {
  const found = resolveDimensions({ tags: {}, fields });
  const named = namedDimensions
    .filter((name) => found[name] !== '' && !aliasesOf(name).some((alias) => Object.hasOwn(tags, alias)))
    .map((name) => [name, found[name]] as const);
  const entries = [...Object.entries(tags), ...named];
  const isWeak = new Set(fields[weakField]?.split('\n'));
  return {
    own: Object.fromEntries(entries.filter(([name]) => !isWeak.has(name))),
    weak: Object.fromEntries(entries.filter(([name]) => isWeak.has(name))),
  };
}

/** The tags of the first, with those that it lacks from the others, in their order: what users have set comes first. */
export function mergeTags(all: readonly Said[], maxTags: number): Record<string, string> {
  const merged = new Map<string, string>();
  for (const tags of [...all.map(({ own }) => own), ...all.map(({ weak }) => weak)]) {
    const before = new Set(merged.keys());
    for (const [name, text] of Object.entries(tags)) {
      if (merged.size < maxTags && !aliasesOf(name).some((alias) => before.has(alias))) merged.set(name, text);
    }
  }
  return Object.fromEntries(merged);
}
