import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 639px)');

/** Whether the window is as narrow as a phone's. */
export const useIsNarrow = (): boolean =>
  useSyncExternalStore(
    (notify) => {
      narrow.addEventListener('change', notify);
      return () => narrow.removeEventListener('change', notify);
    },
    () => narrow.matches,
  );
