import '@fontsource-variable/inter/wght.css';
import './styles.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem, isPassing } from './api/client.ts';
import { askFirst } from './api/queries.ts';
import { router } from './router.tsx';
import { parseSearch } from './state/search.ts';
import { sessionKey } from './state/session.tsx';

const maxRetries = 5;

/** An ended session shows the sign-in. The URL stays, so the same view returns after signing in. */
const onError = (error: unknown) => {
  if (error instanceof ApiProblem && error.status === 401) queries.setQueryData(sessionKey, null);
};

/** How long an answer is kept for a page that was left, in milliseconds: the service may be away when it is visited again. */
const keptMs = 3_600_000;

const isEmptyList = (data: unknown): boolean =>
  (data as { readonly rows?: readonly unknown[] } | undefined)?.rows?.length === 0;

const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // The service may be on this machine, where a browser reaches it without a network.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      // A list that was empty may have its first row by now.
      staleTime: ({ state }) => (isEmptyList(state.data) ? 0 : 20_000),
      gcTime: keptMs,
      retry: (failures, error) => isPassing(error) && failures < maxRetries,
      retryDelay: (failures) => Math.min(1_000 * 2 ** failures, 8_000),
    },
  },
});

// The session, the first answer and the page's script load while the font does.
const first = askFirst(queries, parseSearch(router.latestLocation.search).project).catch(() => undefined);
void router.load();

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** How long the page waits for its font, and for its first answer, in milliseconds. */
const [longestFontWaitMs, longestAnswerWaitMs] = [1_000, 200];
await Promise.all([
  // A fallback font has other widths, so text would move when the right font arrives.
  Promise.race([document.fonts.load('1em "Inter Variable"').catch(() => undefined), pause(longestFontWaitMs)]),
  // Drawn with it, the page asks all its questions at once.
  Promise.race([first, pause(longestAnswerWaitMs)]),
]);

const element = document.querySelector('#root');
if (!element) throw new Error('The page has no #root element');
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
