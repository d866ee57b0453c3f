// Random key metrics, and custom events that feed them.
import fc from 'fast-check';
import type { KeyMetric } from '../model.ts';
import { attributed, eventOf, type HistoryEvent } from './history.ts';
import { placedValues, pointers } from './metric-values.ts';
import { features, some, withoutUndefined } from './names.ts';

// All are custom types, though some are almost a phase (D3.8).
const [usualType, ...otherTypes] = [
  'ticket solved',
  'doc.written',
  "a.after.b'c",
  'llm.After',
  'before.hand',
  'x.errors',
] as const;
// Mostly one type, so that metrics and events meet.
const eventType = fc.oneof({ weight: 5, arbitrary: fc.constant(usualType) }, fc.constantFrom(...otherTypes));

export const customEvent = (withinDays: number): fc.Arbitrary<HistoryEvent> =>
  fc
    .record({ ...attributed(withinDays), event_type: eventType, placed: placedValues })
    .map(({ placed, ...parts }) => ({ ...eventOf(parts, {}), ...placed }));

export const keyMetrics: fc.Arbitrary<KeyMetric[]> = fc.uniqueArray(
  fc
    .record({
      name: fc.constantFrom('tickets', 'Tickets', 'docs written', 'naïve', '日本', 'a-b_c.d'),
      event_type: eventType,
      how: fc.oneof(
        fc.constant({ aggregation: 'count' as const }),
        fc.record({
          aggregation: fc.constantFrom('sum' as const, 'unique' as const),
          field: fc.constantFrom(...pointers.slice(0, 2), ...pointers),
        }),
      ),
      features: fc.option(some(features), { freq: 1, nil: undefined }),
    })
    .map(({ how, features, ...metric }) => ({ ...metric, ...how, ...withoutUndefined({ features }) })),
  { selector: ({ name }) => name, minLength: 1, maxLength: 5, size: 'max' },
);
