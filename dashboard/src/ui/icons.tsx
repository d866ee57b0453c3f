import { type IconName, iconPaths } from './icon-paths.ts';

/** A decorative icon beside a word; hidden from screen readers. */
export const Icon = ({ name, className = 'size-4' }: { readonly name: IconName; readonly className?: string }) => (
  <svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className={`shrink-0 ${className}`}
  >
    <path d={iconPaths[name]} />
  </svg>
);
