import { toAsOf, toDates, useQuestion } from './question.ts';

/** The body of a margin request, from the URL. */
export function useMarginBody() {
  const question = useQuestion();
  const { search, days } = question;
  return {
    ...toDates(days),
    ...(search.customers && { customers: search.customers }),
    ...(search.features && { filter_customers_based_on_features: search.features }),
    ...(search.credits && { apply_credits: true }),
    ...toAsOf(question),
  };
}
