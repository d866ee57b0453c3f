import { callsOf } from '../../calls/in-force.ts';
import type { Alike } from '../../calls/joins/join-calls.ts';
import type { Period } from '../../lib/days.ts';
import { readMoney, toJsonNumber } from '../../lib/money.ts';
import type { AnswerSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import { countFew, mostModels } from './few-calls.ts';
import type { Coverage } from './wire.ts';

type AlikeCalls = Coverage['joined_alike'];

/** The calls that likeness joined to others, and those that it would have joined if the project let it (D27.6). */
export async function readAlike(
  { project, generations }: Pick<AsOf, 'project' | 'generations'>,
  range: Period,
  { store }: Pick<AnswerSources, 'store'>,
): Promise<Readonly<Record<Exclude<Alike, ''>, AlikeCalls>>> {
  const calls = callsOf(project.id, range, generations);
  const rows = await countFew(store, calls, { condition: "alike != ''", by: 'alike' });
  const sumOf = (alike: Alike): AlikeCalls => {
    const found = rows.filter((row) => row.alike === alike).map((row) => ({ ...row, money: readMoney(row.cost) }));
    return {
      calls: found.reduce((sum, one) => sum + Number(one.calls), 0),
      cost: toJsonNumber(found.reduce((sum, { money }) => sum + money, 0n)),
      models: found.slice(0, mostModels).map(({ model, provider, money, ...one }) => ({
        model,
        provider,
        calls: Number(one.calls),
        cost: toJsonNumber(money),
      })),
    };
  };
  return { joined: sumOf('joined'), apart: sumOf('apart') };
}
