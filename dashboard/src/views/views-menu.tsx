import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useChangeSearch } from '../state/change-search.ts';
import type { Search } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Field } from '../ui/basics.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { PathLink } from '../ui/path-link.tsx';
import { Popover } from '../ui/popover.tsx';
import { keepViews, readViews, type SavedView, withView } from './saved-views.ts';

/** The saved views of the project, each with its link, and a field that saves this one under a name. */
export function ViewsMenu() {
  const { view } = useSearch({ from: '__root__' });
  return (
    <Popover
      name={view === undefined ? 'Views' : `View: ${view}`}
      label={
        <>
          <Icon name="features" />
          <span className="max-w-40 truncate">{view ?? 'Views'}</span>
        </>
      }
    >
      {(close) => <Panel close={close} />}
    </Popover>
  );
}

function Panel({ close }: { readonly close: () => void }) {
  const { view } = useSearch({ from: '__root__' });
  const { project, isNamed } = useAccess();
  const router = useRouter();
  const change = useChangeSearch();
  const [views, setViews] = useState(() => readViews(project.id));
  const keep = (next: readonly SavedView[]) => {
    keepViews(project.id, next);
    setViews(next);
  };
  const [name, setName] = useState(view ?? '');
  const toHref = (more: Partial<Search>) =>
    router.buildLocation({ to: '.', search: (search: Search) => ({ ...search, ...more }) }).href;
  const save = (event: FormEvent) => {
    event.preventDefault();
    const named = name.trim();
    if (named === '') return;
    // A link to a view of this project says which project that is, where one sees several.
    keep(withView(views, { name: named, path: toHref({ view: named, project: undefined }) }));
    change({ view: named });
    close();
  };
  return (
    <div className="space-y-3">
      {views.length === 0 ? (
        <p className="text-[13px] text-mute">
          A view is this page with its days, filters, columns and order. Saved under a name, it is one click away in
          this browser; its link shows it to others.
        </p>
      ) : (
        <ul aria-label="Saved views" className="max-h-64 space-y-0.5 overflow-y-auto">
          {views.map((saved) => (
            <ViewRow
              key={saved.name}
              saved={saved}
              isShown={saved.name === view}
              close={close}
              remove={() => keep(views.filter((one) => one !== saved))}
            />
          ))}
        </ul>
      )}
      <form onSubmit={save} className="flex items-end gap-2 border-t border-line pt-3">
        <Field
          label="Save this view as"
          value={name}
          maxLength={60}
          className="min-w-0 flex-1"
          onChange={({ target }) => setName(target.value)}
        />
        <Button type="submit" kind="main" disabled={name.trim() === ''}>
          Save
        </Button>
      </form>
      <div className="flex flex-wrap gap-2">
        <CopyButton
          text={`${location.origin}${toHref({ view: name.trim() || undefined, ...(isNamed && { project: project.id }) })}`}
          label="Copy its link"
        />
        <Button onClick={() => window.print()}>
          <Icon name="print" />
          Print or PDF
        </Button>
      </div>
    </div>
  );
}

interface ViewRowProps {
  readonly saved: SavedView;
  readonly isShown: boolean;
  readonly close: () => void;
  readonly remove: () => void;
}

const ViewRow = ({ saved: { name, path }, isShown, close, remove }: ViewRowProps) => (
  <li className="flex items-center gap-1">
    <PathLink
      path={path}
      isCurrent={isShown}
      onOpen={close}
      className="min-w-0 flex-1 truncate rounded-lg px-2 py-1.5 text-[13px] hover:bg-raised aria-[current=page]:font-medium"
    >
      {name}
    </PathLink>
    <Button kind="quiet" className="px-2" aria-label={`Delete the view ${name}`} onClick={remove}>
      <Icon name="close" />
    </Button>
  </li>
);
