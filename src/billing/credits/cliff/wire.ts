import { z } from 'zod';

const day = z.string().meta({ format: 'date' });
const money = z.number().describe('USD.');
const margin = z.object({
  revenue: money,
  cost: money,
  margin: money,
  margin_pct: z.number().describe('As in `POST /api/margin/`.'),
});
const margins = {
  now: margin.describe('With free credits.'),
  after: margin.describe('As it would be without credits.'),
};

export const cliffSchema = z.object({
  date_from: day.describe('The first of the days.'),
  date_to: day.describe('Last of them.'),
  credits_left: money.describe('USD: what remains of the grants in use.'),
  ends_on: day
    .nullable()
    .describe(
      'The day on which the last grant in use runs out or expires; null when that is not known, or none is in use.',
    ),
  ...margins,
  customers: z
    .array(
      z.object({
        customer: z.string(),
        turns: z.boolean().describe('Whether its revenue covers its cost with credits, and not without them.'),
        turns_on: day
          .nullable()
          .describe(
            'If it turns: the end of the credits, by provider, without which its revenue no longer covers its cost.',
          ),
        ...margins,
      }),
    )
    .describe('Customers that turn come first, then the smallest margin without credits; at most 100.'),
  others: z
    .object({
      count: z.number().int().describe('The number of further customers.'),
      turns: z.number().int().describe('How many of them turn.'),
      ...margins,
    })
    .describe('The sum of all others.'),
});

const exampleNow = { revenue: 120, cost: 80, margin: 40, margin_pct: 33.333333333333336 };
const exampleAfter = { revenue: 120, cost: 150, margin: -30, margin_pct: -25 };
const none = { revenue: 0, cost: 0, margin: 0, margin_pct: 0 };
export type CreditCliff = z.output<typeof cliffSchema>;

/** The margin now, with credits, and after the credits' end. */
export type BothMargins = Pick<CreditCliff, keyof typeof margins>;

export const exampleCliff: CreditCliff = {
  date_from: '2026-10-24',
  date_to: '2026-11-20',
  credits_left: 312.5,
  ends_on: '2026-12-19',
  now: exampleNow,
  after: exampleAfter,
  customers: [{ customer: 'acme', turns: true, turns_on: '2026-12-19', now: exampleNow, after: exampleAfter }],
  others: { count: 0, turns: 0, now: none, after: none },
};
