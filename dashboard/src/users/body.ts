import { type Question, toAsOf, toDates } from '../state/question.ts';

/** The body of a performance request, from the URL. */
export const toPerformanceBody = (question: Question) => {
  const { search, days } = question;
  return {
    ...toDates(days),
    ...(search.users && { users: search.users }),
    ...(search.utags && { user_tags: search.utags }),
    ...(search.features && { filter_users_based_on_features: search.features }),
    ...(search.credits && { apply_credits: true }),
    ...toAsOf(question),
  };
};
