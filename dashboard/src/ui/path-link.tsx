import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { useAccess } from '../state/session.tsx';

interface PathLinkProps {
  /** A path of the page with its query, as the service wrote it. */
  readonly path: string;
  readonly className: string;
  /** Shown when the pointer rests on the link. */
  readonly title?: string;
  readonly isCurrent?: boolean;
  /** Called before it is opened here. */
  readonly onOpen?: () => void;
  readonly children: ReactNode;
}

/** A path with the project, where the URL must name it. */
export const toProjectPath = (path: string, project: string | undefined): string =>
  project === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}project=${encodeURIComponent(project)}`;

/** A link that the service or a saved view has, with its days and filters. */
export function PathLink({ path, className, title, isCurrent, onOpen, children }: PathLinkProps) {
  const { history } = useRouter();
  const { isNamed, project } = useAccess();
  const href = toProjectPath(path, isNamed ? project.id : undefined);
  const open = (event: MouseEvent) => {
    // Otherwise the browser opens the link itself, such as in a new tab.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onOpen?.();
    history.push(href);
  };
  return (
    <a href={href} title={title} aria-current={isCurrent ? 'page' : undefined} onClick={open} className={className}>
      {children}
    </a>
  );
}

const pageNames: Readonly<Record<string, string>> = {
  '': 'Overview',
  customers: 'the customer',
  users: 'the user',
  features: 'Features',
  models: 'Models',
  calls: 'Calls',
  live: 'Live',
  prices: 'Prices',
  credits: 'Credits',
  budgets: 'the budget',
  reconciliation: 'Reconciliation',
  waste: 'Waste',
  'what-if': 'What if',
};

/** The page of a path, in words. */
export const toPageName = (path: string): string => pageNames[/^\/([^/?]*)/.exec(path)?.[1] ?? ''] ?? 'the numbers';
