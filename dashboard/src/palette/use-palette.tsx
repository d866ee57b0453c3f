import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(() => loadPalette().then((module) => ({ default: module.Palette })));

/** How long after the page it is loaded, in milliseconds: what is typed while it loads would be lost. */
const loadAfterMs = 3_000;

/** The keys that open the palette, as this machine writes them. */
export const paletteKeys = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? '⌘ K' : 'Ctrl K';

/** Opens the palette on Ctrl K or ⌘ K, or when it is asked to. It is loaded after the page, or when it is opened. */
export function usePalette(): { readonly open: () => void; readonly element: ReactNode } {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return;
      event.preventDefault();
      // A form that is open keeps the keyboard.
      setOpen((was) => !was && document.querySelector('dialog[open]') === null);
    };
    document.addEventListener('keydown', onKey);
    const timer = setTimeout(loadPalette, loadAfterMs);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
  return {
    open: () => setOpen(true),
    element: isOpen && (
      <Suspense>
        <Palette onClose={() => setOpen(false)} />
      </Suspense>
    ),
  };
}
