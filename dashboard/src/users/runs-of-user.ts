import { useMemo } from 'react';
import { byPlural, callDimensions, dimensions } from '../../../src/lib/dimensions.ts';
import { useTotal } from '../api/queries.ts';
import type { UsageRow } from '../api/types.ts';
import { type Fixed, toCostBody } from '../state/costs.ts';
import { useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';

// The URL may still have another page's filters of customers.
const noCustomers = { customers: undefined, customer_tags: undefined };
const unfiltered = { ...noCustomers, ...byPlural(callDimensions, () => undefined) };
const toFixed = (tag: string, name: string): Fixed => ({ ...unfiltered, run_tags: { [tag]: [name] } });
const [userTag, idTag] = dimensions.user.tags;

interface RunsOfUser {
  /** The filter that leaves all of them alone. */
  readonly all: Fixed;
  /** The filter by those that the URL selects, for requests and as a URL has it. */
  readonly fixed: Fixed;
  readonly within: Partial<Search>;
  /** None where no tag names the user; undefined while that is not known. */
  readonly calls: number | undefined;
  readonly isPending: boolean;
}

/** The runs of a user, by the tag that names it: questions about calls know no users. */
export function useRunsOf(name: string): RunsOfUser {
  const question = useQuestion();
  const toBody = (tag: string) => toCostBody(question, question.days, toFixed(tag, name));
  const byTag = useTotal<UsageRow>('/api/usage/', toBody(userTag));
  const isOther = byTag.row?.calls === 0;
  const byId = useTotal<UsageRow>('/api/usage/', isOther ? toBody(idTag) : undefined);
  const [tag, calls] = byId.row?.calls ? [idTag, byId.row.calls] : [userTag, byTag.row?.calls];
  const isPending = byTag.isPending || (isOther && byId.isPending);
  const { rtags } = question.search;
  return useMemo(() => {
    const tags = { ...rtags, [tag]: [name] };
    return {
      all: toFixed(tag, name),
      fixed: { ...noCustomers, run_tags: tags },
      within: { customers: undefined, ctags: undefined, rtags: tags },
      ...{ calls, isPending },
    };
  }, [tag, name, rtags, calls, isPending]);
}
