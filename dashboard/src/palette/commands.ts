// The commands of the palette, and the search for them.

import type { Project } from '../api/types.ts';
import { carried, places, toCarried } from '../places.ts';
import type { Search } from '../state/search.ts';
import type { SavedView } from '../views/saved-views.ts';

export type CommandGroup = 'Pages' | 'Views' | 'Customers' | 'Users' | 'Features' | 'Models' | 'Settings' | 'Projects';

/** Something to go to. */
export interface Command {
  readonly id: string;
  readonly group: CommandGroup;
  readonly label: string;
  /** Other words by which it is found. */
  readonly words?: string;
  readonly to: string;
  readonly params?: { readonly name: string };
  /** The whole path with its parameters, in place of the rest. */
  readonly path?: string;
  readonly search: (search: Search) => Search;
}

const settings: readonly (Pick<Command, 'label' | 'words' | 'to'> & { readonly isOf?: 'owner' | 'admin' })[] = [
  { label: 'Timezone', words: 'days', to: '/settings' },
  { label: 'How long events are kept', words: 'retention delete', to: '/settings' },
  { label: 'Margin below which a customer is at risk', words: 'threshold risk', to: '/settings' },
  { label: 'Clients and their secrets', words: 'rotate intake', to: '/settings', isOf: 'owner' },
  { label: 'API keys', words: 'token rotate', to: '/settings', isOf: 'owner' },
  { label: 'Delete the project', words: 'remove', to: '/settings', isOf: 'admin' },
  { label: 'Members and their roles', words: 'invite team users', to: '/people', isOf: 'owner' },
  { label: 'Your own prices', words: 'override reprice', to: '/prices' },
  { label: 'Credit grants', words: 'free credits', to: '/credits' },
  { label: 'What alerts watch', words: 'anomaly thresholds', to: '/alerts' },
  { label: 'Where alerts are sent', words: 'webhook slack email notifications', to: '/alerts' },
  { label: 'Stripe and exchange rates', words: 'currency hook', to: '/revenue' },
  { label: 'Connect an application', words: 'sdk client opentelemetry litellm', to: '/connect' },
];

/** The commands that do not depend on what was typed: pages, settings and further projects. */
export function listFixed({
  project,
  projects,
  isAdmin,
  isOwner,
  at,
}: {
  readonly project: Project;
  readonly projects: readonly Project[];
  readonly isAdmin: boolean;
  readonly isOwner: boolean;
  /** The path of the page that is shown. */
  readonly at: string;
}): Command[] {
  const may = { owner: isOwner, admin: isAdmin };
  const hasPage = (to: string) => {
    const place = places.find((one) => one.to === to);
    return (place?.of ?? project.type) === project.type && (isOwner || !place?.isOfOwner);
  };
  return [
    ...places
      .filter(({ to }) => hasPage(to))
      .map(({ to, label }): Command => ({ id: `page ${to}`, group: 'Pages', label, to, search: toCarried(to, at) })),
    ...settings
      .filter(({ to, isOf }) => hasPage(to) && (isOf === undefined || may[isOf]))
      .map(
        ({ isOf: _isOf, ...setting }): Command => ({
          ...setting,
          id: `setting ${setting.label}`,
          group: 'Settings',
          search: toCarried(setting.to, at),
        }),
      ),
    ...projects
      .filter(({ id }) => id !== project.id)
      .map(
        ({ id, name }): Command => ({
          id: `project ${id}`,
          group: 'Projects',
          label: name,
          words: id,
          to: '/',
          // Filters and days are those of the other project.
          search: () => ({ project: id }),
        }),
      ),
  ];
}

/** The lists of the API that are searched, for a type of projects. */
export const searchedLists = (type: Project['type']) =>
  type === 'revenue' ? (['customers', 'features', 'models'] as const) : (['users', 'features', 'models'] as const);
export type SearchedList = 'customers' | 'users' | 'features' | 'models';

const groupOf: Readonly<Record<SearchedList, CommandGroup>> = {
  customers: 'Customers',
  users: 'Users',
  features: 'Features',
  models: 'Models',
};

/** Names that a list of the API gave, chosen `at` a path. Customers and users have pages; features and models filter the overview. */
export const toNamed = (list: SearchedList, names: readonly string[], at: string): Command[] =>
  names
    .filter((name) => name !== '')
    .map((name) => ({
      id: `${list} ${name}`,
      group: groupOf[list],
      label: name,
      ...(list === 'customers' || list === 'users'
        ? { to: `/${list}/$name`, params: { name }, search: toCarried(`/${list}`, at) }
        : { to: '/', search: (search) => ({ ...toCarried('/', at)(search), [list]: [name] }) }),
    }));

/** The saved views, each of which has its own address. */
export const toViewCommands = (views: readonly SavedView[]): Command[] =>
  views.map(({ name, path }) => ({ id: `view ${name}`, group: 'Views', label: name, path, to: '/', search: carried }));

/** How many of a group are listed. */
const mostOfGroup = 6;
const notFound = Number.POSITIVE_INFINITY;

/** How well a command fits: 0 if its label begins so, higher for a word of the label, a part of it, or another word. */
function rank({ label, words = '' }: Command, text: string): number {
  const name = label.toLowerCase();
  if (name.startsWith(text)) return 0;
  const startsWord = (of: string) => of.split(/[\s/._-]+/).some((word) => word.startsWith(text));
  if (startsWord(name)) return 1;
  if (name.includes(text)) return 2;
  return startsWord(words) ? 3 : notFound;
}

export interface FoundGroup {
  readonly group: CommandGroup;
  readonly commands: readonly Command[];
}

/** The commands that fit a text, the best first, by group; the group with the best of all comes first. */
export function findCommands(commands: readonly Command[], typed: string): FoundGroup[] {
  const text = typed.trim().toLowerCase();
  const ranked = commands
    .map((command) => ({ command, rank: rank(command, text) }))
    .filter((found) => found.rank !== notFound)
    .toSorted((a, b) => a.rank - b.rank);
  const groups = [...Map.groupBy(ranked, ({ command }) => command.group)];
  return groups.map(([group, found]) => ({
    group,
    // Without a text all pages are listed.
    commands: found.slice(0, text === '' && group === 'Pages' ? undefined : mostOfGroup).map(({ command }) => command),
  }));
}
