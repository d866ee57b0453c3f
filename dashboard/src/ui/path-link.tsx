import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { useAccess } from '../state/session.tsx';

interface PathLinkProps {
  /** A path of the page with its query, as the service wrote it. */
  readonly path: string;
  readonly className: string;
  /** Shown when the pointer rests on the link. */
  readonly title?: string;
  readonly children: ReactNode;
}

/** A link that the service wrote, with the page's days and filters. */
export function PathLink({ path, className, title, children }: PathLinkProps) {
  const { history } = useRouter();
  const { isAdmin, project } = useAccess();
  const href = isAdmin ? `${path}${path.includes('?') ? '&' : '?'}project=${encodeURIComponent(project.id)}` : path;
  const open = (event: MouseEvent) => {
    // Otherwise the browser opens the link itself, such as in a new tab.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.push(href);
  };
  return (
    <a href={href} title={title} onClick={open} className={className}>
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
