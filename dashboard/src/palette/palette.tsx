import { useQueries } from '@tanstack/react-query';
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useApiOptions } from '../api/queries.ts';
import type { ListRow, Page } from '../api/types.ts';
import { useAccess } from '../state/session.tsx';
import { Icon } from '../ui/icons.tsx';
import { toProjectPath } from '../ui/path-link.tsx';
import { readViews } from '../views/saved-views.ts';
import { type Command, findCommands, listFixed, searchedLists, toNamed, toViewCommands } from './commands.ts';

/** How long typing must stop before the API is asked, in milliseconds. */
const restMs = 150;
/** How many names are asked of each list. */
const asked = 20;

/** A field that leads to any page, customer, user, feature, model, setting or project. A combobox with a list of options. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const navigate = useNavigate();
  const router = useRouter();
  const [typed, setTyped] = useState('');
  /** The id of the option that was moved to; until then the first is chosen. */
  const [at, setAt] = useState<string>();
  const { groups, isPending } = useFound(typed);
  const all = groups.flatMap(({ commands }) => commands);
  const chosen = all.find(({ id }) => id === at) ?? all[0];
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const optionId = ({ id }: Command) => `${listId} ${id}`.replaceAll(/\s/g, '-');
  useEffect(() => {
    if (chosen) list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const { isNamed, project } = useAccess();
  const go = ({ to, params, search, path }: Command) => {
    onClose();
    if (path !== undefined) router.history.push(toProjectPath(path, isNamed ? project.id : undefined));
    else void navigate({ to, ...(params && { params }), search });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && chosen) {
      event.preventDefault();
      const next = all[(all.indexOf(chosen) + step + all.length) % all.length];
      setAt(next?.id);
    } else if (event.key === 'Enter' && chosen) {
      event.preventDefault();
      go(chosen);
    }
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Go to"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The target is the dialog itself only when the click is outside its content.
      onPointerDown={({ target, currentTarget }) => target === currentTarget && onClose()}
      className="mt-[12vh] w-[36rem] max-w-[calc(100vw-2rem)] overflow-hidden rounded-xl border border-line bg-card text-ink shadow-2xl"
    >
      <div className="flex items-center gap-2 border-b border-line px-4">
        <Icon name="search" className="size-4 text-mute" />
        <input
          role="combobox"
          aria-label="Go to a page, customer, feature, model or setting"
          aria-expanded={all.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={chosen && optionId(chosen)}
          autoComplete="off"
          spellCheck={false}
          placeholder="Go to a page, customer, feature, model or setting"
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setAt(undefined);
          }}
          onKeyDown={onKeyDown}
          className="h-12 w-full bg-transparent text-[15px] placeholder:text-mute focus:outline-none"
        />
      </div>
      <div ref={list} id={listId} role="listbox" aria-label="Found" className="max-h-[50vh] overflow-y-auto p-2">
        {groups.map(({ group, commands }) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, and a fieldset is none
          <div key={group} role="group" aria-label={group}>
            <p aria-hidden="true" className="px-2 pt-2 pb-1 text-xs font-medium text-mute">
              {group}
            </p>
            {commands.map((command) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard stays in the field, which handles it
              <div
                key={command.id}
                id={optionId(command)}
                role="option"
                tabIndex={-1}
                aria-selected={command === chosen}
                onClick={() => go(command)}
                onPointerMove={() => setAt(command.id)}
                className="cursor-pointer truncate rounded-lg px-2 py-2 aria-selected:bg-raised aria-selected:font-medium"
              >
                {command.label}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p role="status" className={all.length > 0 ? 'sr-only' : 'px-4 pb-6 text-center text-mute'}>
        {all.length > 0 ? `${all.length} found` : isPending ? 'Searching…' : 'Nothing found.'}
      </p>
    </dialog>
  );
}

/** The commands that fit the text: pages and settings at once, names after typing pauses and the API has answered. */
function useFound(typed: string) {
  const access = useAccess();
  const { project } = access;
  const [rested, setRested] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setRested(typed), restMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const toOptions = useApiOptions<Page<ListRow>>();
  const text = rested.trim();
  const lists = searchedLists(project.type);
  const found = useQueries({
    queries: lists.map((list) =>
      toOptions(`/api/${list}/?limit=${asked}&search=${encodeURIComponent(text)}`, undefined, { enabled: text !== '' }),
    ),
    combine: (answers) => ({
      isPending: answers.some(({ isFetching }) => isFetching),
      names: answers.map(({ data }) => data?.rows.map(({ name }) => name) ?? []),
    }),
  });
  const { pathname: at } = useLocation();
  const fixed = useMemo(
    () => [...toViewCommands(readViews(project.id)), ...listFixed({ ...access, at })],
    [project, access, at],
  );
  const named = lists.flatMap((list, index) => toNamed(list, found.names[index] ?? [], at));
  return {
    groups: findCommands([...fixed, ...named], typed),
    isPending: found.isPending || rested !== typed,
  };
}
