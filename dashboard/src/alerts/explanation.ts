import { toDollarsBeside, toName, toSigned } from '../lib/format.ts';
import { isDay } from '../lib/is-day.ts';
import { isCause, wordsOf } from '../overview/cause-words.ts';
import type { NumberWords } from './numbers.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** The lists of an explanation, with the field that names an item and the field of its amount. */
const lists = [
  { list: 'causes', named: 'cause', amount: 'amount' },
  { list: 'customers', named: 'customer', amount: 'difference' },
  { list: 'features', named: 'feature', amount: 'difference' },
  { list: 'models', named: 'model', amount: 'difference' },
] as const;

/** What explains an unusual cost, in words: its causes, and the names that changed most, whose calls are those of its days. */
export function toPartWords({ explanation, from, day: to }: Fields): NumberWords[] {
  if (!isFields(explanation)) return [];
  const { difference } = explanation;
  return lists.flatMap(({ list, named, amount }) => {
    const items = explanation[list];
    return (Array.isArray(items) ? items.filter(isFields) : []).flatMap((item) => {
      const [name, change] = [item[named], item[amount]];
      if (typeof name !== 'string' || typeof change !== 'number') return [];
      const label =
        isCause(name) && named === 'cause' ? wordsOf(name, change).toLowerCase() : `${named} ${toName(name)}`;
      return [
        {
          name: `${named} ${name}`,
          label,
          ...(named !== 'cause' &&
            isDay(from) &&
            isDay(to) && { calls: { [list]: [name], range: undefined, from, to } }),
          text: toSigned(change, (amount) => toDollarsBeside(amount, Number(difference ?? 0))),
        },
      ];
    });
  });
}
