import { expect, test } from 'vitest';
import { ArrivalReader } from '../../src/alerting/kinds/no-events/arrivals.ts';

test('D20.3: of thousands of projects, a look reads only what arrived since the look before it', async () => {
  const [createdAt, arrivedMs] = [Date.parse('2026-03-01T00:00:00Z'), Date.parse('2026-03-20T12:00:00Z')];
  const begins: unknown[] = [];
  const store = {
    select: async <Row>(_sql: string, parameters: Record<string, unknown> = {}): Promise<Row[]> => {
      begins.push(parameters.from);
      const isIn = Number(parameters.from) <= arrivedMs && arrivedMs < Number(parameters.to);
      return (isIn ? [{ first_ms: String(arrivedMs), last_ms: String(arrivedMs) }] : []) as unknown as Row[];
    },
  };
  const reader = new ArrivalReader(store);
  const lookAtAll = async (nowMs: number) => {
    begins.length = 0;
    for (let project = 0; project < 3_000; project += 1) await reader.read({ id: `p${project}`, createdAt }, nowMs);
    return new Set(begins);
  };
  await lookAtAll(arrivedMs + 60_000);
  expect(await lookAtAll(arrivedMs + 120_000)).toEqual(new Set([arrivedMs]));
});
