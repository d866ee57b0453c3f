import { useMutation, useQueryClient } from '@tanstack/react-query';
import { askApi } from '../api/client.ts';
import { forgetAnswers, noteSignOut, sessionKey } from './session.tsx';

/** Ends the session, on the page and in the service. */
export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => askApi('/session/', { method: 'DELETE' }),
    onSuccess: () => {
      noteSignOut();
      queries.setQueryData(sessionKey, null);
      forgetAnswers(queries);
    },
  });
}
