import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/** The keys that open the palette, as this machine writes them. */
export const paletteKeys = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? '⌘ K' : 'Ctrl K';

/** How long after the page the palette loads, in milliseconds: keys that are pressed while it loads would be lost. */
const loadAfterMs = 3_000;

type Palette = ComponentType<{ readonly onClose: () => void }>;

/** Opens the palette on Ctrl K or ⌘ K, or when it is asked to. It is loaded after the page, or when it is opened. */
export function usePalette(): { readonly open: () => void; readonly element: ReactNode } {
  const [isOpen, setOpen] = useState(false);
  const [Loaded, setLoaded] = useState<Palette>();
  useEffect(() => {
    if (Loaded) return undefined;
    // Without the service there is nothing to go to: opening it later tries again.
    const load = () =>
      void import('./palette.tsx').then(
        ({ Palette }) => setLoaded(() => Palette),
        () => setOpen(false),
      );
    const timer = setTimeout(load, isOpen ? 0 : loadAfterMs);
    return () => clearTimeout(timer);
  }, [Loaded, isOpen]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return;
      event.preventDefault();
      // A form that is open keeps the keyboard.
      setOpen((was) => !was && document.querySelector('dialog[open]') === null);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return { open: () => setOpen(true), element: isOpen && Loaded && <Loaded onClose={() => setOpen(false)} /> };
}
