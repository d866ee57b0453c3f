import { callsOf } from '../../calls/in-force.ts';
import type { Alike } from '../../calls/joins/join-calls.ts';
import type { Period } from '../../lib/days.ts';
import { type Money, parseMoney, toJsonNumber } from '../../lib/money.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import type { Coverage } from './wire.ts';

type AlikeCalls = Coverage['joined_alike'];

interface Row {
  readonly alike: Alike;
  readonly model: string;
  readonly provider: string;
  readonly calls: string;
  readonly cost: string;
}

const mostModels = 1_000;

/** The calls that likeness joined to others, and those that it would have joined if the project let it (D27.6). */
export async function readAlike(
  { project, generations }: Pick<AsOf, 'project' | 'generations'>,
  range: Period,
  { store }: Pick<AnalyticsSources, 'store'>,
): Promise<Readonly<Record<Exclude<Alike, ''>, AlikeCalls>>> {
  const calls = callsOf(project.id, range, generations);
  const alike = `FROM calls FINAL WHERE ${calls.sql} AND alike != ''`;
  // Reads one small column, and spares most projects the sorting of all versions of calls.
  const [any] = await store.select<{ calls: string }>(
    `SELECT count() AS calls ${alike.replace(' FINAL', '')}`,
    calls.parameters,
  );
  const rows =
    Number(any?.calls ?? 0) === 0
      ? []
      : await store.select<Row>(
          `SELECT toString(alike) AS alike, toString(model) AS model, toString(provider) AS provider,
            toString(count()) AS calls, toString(sum(cost)) AS cost
          ${alike} GROUP BY alike, model, provider ORDER BY count() DESC, provider, model`,
          calls.parameters,
        );
  return { joined: sumOf(rows, 'joined'), apart: sumOf(rows, 'apart') };
}

function sumOf(rows: readonly Row[], alike: Alike): AlikeCalls {
  const found = rows.filter((row) => row.alike === alike).map((row) => ({ ...row, money: toMoney(row.cost) }));
  return {
    calls: found.reduce((sum, { calls }) => sum + Number(calls), 0),
    cost: toJsonNumber(found.reduce((sum, { money }) => sum + money, 0n)),
    models: found.slice(0, mostModels).map(({ model, provider, calls, money }) => ({
      model,
      provider,
      calls: Number(calls),
      cost: toJsonNumber(money),
    })),
  };
}

const toMoney = (text: string): Money => parseMoney(text) ?? 0n;
