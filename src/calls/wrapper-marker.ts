import { z } from 'zod';

/**
 * The type of markers: events which say that the call of their id wraps another call (D14.3). A marker has the id of a
 * span's parent. It may arrive before the parent or after it, and the parent may never arrive.
 */
export const wrapperMarkerType = 'farthing.wrapper.before';

/** The field of a marker, and of `fields` in the log, with the event id of the wrapped call. */
const wrappedCall = 'wrapped_call';

const uuid = z.guid();

/** The id of the wrapped call that a marker names; undefined if the event is no marker. */
export function readWrappedCall(event: Readonly<Record<string, unknown>>): string | undefined {
  if (event.event_type !== wrapperMarkerType) return undefined;
  const { data } = uuid.safeParse(event[wrappedCall]);
  return data?.toLowerCase();
}

type Fields = Readonly<Record<string, string>>;

/** The call that a call wraps, which has the cost; undefined if the call is no wrapper. */
export const wrappedCallOf = ({ fields }: { readonly fields: Fields }): string | undefined => fields[wrappedCall];

/** Adds the field of a marker, as the log has it. */
export const markFields = (fields: Record<string, string>, wrapped: string): void => {
  fields[wrappedCall] = wrapped;
};

/** A marker that makes the call `eventId` the wrapper of the call `wrapped`. */
export const toWrapperMarker = (eventId: string, wrapped: string) => ({
  event_id: eventId,
  event_type: wrapperMarkerType,
  [wrappedCall]: wrapped,
});

/** The condition for events of the log that are no markers, in SQL. */
export const isNoMarker = `NOT mapContains(fields, '${wrappedCall}')`;
