import { z } from 'zod';

/**
 * The type of events that say of the call of their id that it stands around another one (D14.3). They are stored under
 * the id of the parent of a span, and may come before it, after it, or without it.
 */
export const wrapperMarkerType = 'farthing.wrapper.before';

/** The field of such an event, and of `fields` in the log, that names the event id of the other call. */
const wrappedCall = 'wrapped_call';

const uuid = z.guid();

/** The id of the call that an event says its own call wraps; undefined if the event is no marker. */
export function readWrappedCall(event: Readonly<Record<string, unknown>>): string | undefined {
  if (event.event_type !== wrapperMarkerType) return undefined;
  const { data } = uuid.safeParse(event[wrappedCall]);
  return data?.toLowerCase();
}

type Fields = Readonly<Record<string, string>>;

/** The call that a call wraps, which has its cost; undefined for a call of its own. */
export const wrappedCallOf = ({ fields }: { readonly fields: Fields }): string | undefined => fields[wrappedCall];

/** The fields of a marker of that call, as the log has them. */
export const markFields = (fields: Record<string, string>, wrapped: string): void => {
  fields[wrappedCall] = wrapped;
};

/** A marker of the call `wrapped`, for the id of what stands around it. */
export const toWrapperMarker = (eventId: string, wrapped: string) => ({
  event_id: eventId,
  event_type: wrapperMarkerType,
  [wrappedCall]: wrapped,
});

/** The condition for events that are no markers, in SQL. */
export const isNoMarker = `event_type != '${wrapperMarkerType}'`;
