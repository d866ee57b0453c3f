import type { MergedCall } from '../merging/merge.ts';

/** The field of a wrapper with the event id of the call that counts for it (D14.3, D27.6). */
const wrappedCall = 'wrapped_call';

type Fields = Readonly<Record<string, string>>;

/** The call that counts for this one, which has the cost; undefined if the call counts itself. */
export const wrappedCallOf = ({ fields }: { readonly fields: Fields }): string | undefined => fields[wrappedCall];

/** The call as a wrapper of another: it is in no list, count or sum. */
export const asWrapperOf = (call: MergedCall, counted: MergedCall): MergedCall => ({
  ...call,
  fields: { ...call.fields, [wrappedCall]: counted.eventId },
});

/** Whether its reporter has taken the call back (D30.2): it counts nowhere, like a wrapper. */
export const isWithdrawn = ({ fields }: { readonly fields: Fields }): boolean => fields.withdrawn === 'true';
