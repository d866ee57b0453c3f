// D32.3: calls behind a budget, with the service there, away, slow, restarted, and refusing.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BudgetExceededError, Farthing, type FarthingOptions } from '../../../packages/sdk/src/guard.ts';
import type { Problem } from '../../../packages/sdk/src/index.ts';

interface Budget {
  spent: number;
  amount: number;
}

/** A service that answers checks as a test wants, and counts them. */
function stub(
  answer: (signal: AbortSignal | null | undefined) => Response | Promise<Response>,
  options: FarthingOptions = {},
) {
  const problems: Problem[] = [];
  let checks = 0;
  const farthing = new Farthing({
    ...{ url: 'http://farthing.example', clientId: 'c', clientSecret: 's', apiKey: 'fk_1', delayMs: 0 },
    fetch: async (url, { signal } = {}) => {
      if (!String(url).includes('/check/')) return Response.json({ ok: true });
      checks += 1;
      return await answer(signal);
    },
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  return { farthing, problems, checks: () => checks };
}

/** Stops the clocks that answers grow old by, so that a busy machine lets none; returns what moves them, in milliseconds. */
function stopClocks(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.advanceTimersByTime(ms);
}

const answerOf = ({ spent, amount }: Budget, resetsAt: string | null = '2026-12-01T00:00:00.000Z') =>
  Response.json({
    ...{ allowed: spent < amount, spent, remaining: amount - spent },
    ...{ resets_at: resetsAt, as_of: new Date().toISOString() },
  });

const refusal = async (call: Promise<unknown>): Promise<BudgetExceededError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BudgetExceededError)) throw new Error(`not refused: ${error}`);
  return error;
};

test('D32.3: an answer is remembered for a second, and the calls made meanwhile are added', async () => {
  const pass = stopClocks();
  const budget = { spent: 1, amount: 100_000 };
  const { farthing, checks } = stub(() => answerOf(budget));
  const call = async () => {
    budget.spent += 2;
    return 'made';
  };
  expect(await farthing.guard({ budget: 'b' }, call)).toBe('made');
  await farthing.guard({ budget: 'b' }, call);
  expect(checks()).toBe(1);
  // The third waits until an answer tells what the first two cost: a fast loop would not be stopped else.
  await farthing.guard({ budget: 'b' }, call);
  expect(checks()).toBe(2);
  // Of the processor, because others use the machine at the same time.
  const before = process.cpuUsage();
  for (let made = 0; made < 1_000; made += 1) await farthing.guard({ budget: 'b' }, () => undefined);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000_000).toBeLessThan(0.5);
  expect(checks()).toBe(2);
  budget.amount = 10;

  const next = stub(() => answerOf(budget));
  budget.spent = 1;
  await next.farthing.guard({ budget: 'b' }, call);
  pass(1_400);
  // The second answer tells what a call costs: two dollars.
  await next.farthing.guard({ budget: 'b' }, call);
  expect(next.checks()).toBe(2);
  // All at once: three dollars are spent and one call is added, so two more fit, and one that begins below the amount.
  const together = await Promise.allSettled(
    Array.from({ length: 20 }, () => next.farthing.guard({ budget: 'b' }, call)),
  );
  const made = together.filter(({ status }) => status === 'fulfilled').length;
  expect(made).toBeGreaterThanOrEqual(2);
  expect(made).toBeLessThanOrEqual(4);
});

test('D32.3: a refusal says what is spent and when it resets; a guard that warns makes the call, and tells once', async () => {
  const { farthing, problems } = stub(() => answerOf({ spent: 10, amount: 10 }));
  const error = await refusal(farthing.guard({ budget: 'Free / plan', of: 'acme' }, () => expect.fail('it was made')));
  expect(error).toMatchObject({ budget: 'Free / plan', of: 'acme', spent: 10, resetsAt: new Date('2026-12-01') });
  expect(error.message).toBe(
    'The budget "Free / plan" for acme is used up: 10 of 10 USD are spent, until 2026-12-01T00:00:00.000Z',
  );
  for (let round = 0; round < 3; round += 1) {
    expect(await farthing.guard({ budget: 'b', onExceeded: 'warn' }, async () => round)).toBe(round);
  }
  expect(problems.map(({ code }) => code)).toEqual(['exceeded']);
  const own = new Error('of the host');
  await expect(farthing.guard({ budget: 'c', onExceeded: 'warn' }, () => Promise.reject(own))).rejects.toBe(own);
});

test('D32.3: with the service away, slow, or refusing the key, calls are made or denied as asked, told once', async () => {
  stopClocks();
  const away = () => Promise.reject(new TypeError('fetch failed'));
  // It has a second, and would answer soon after that.
  const slow = async (signal: AbortSignal | null | undefined) => {
    await pause(1_400, undefined, { ...(signal && { signal }) });
    return answerOf({ spent: 0, amount: 1 });
  };
  const revoked = () => Response.json({ detail: 'The key is unknown.' }, { status: 401 });
  for (const [name, answer] of Object.entries({ away, slow, revoked })) {
    const { farthing, problems, checks } = stub(answer);
    for (let round = 0; round < 5; round += 1) {
      expect(await farthing.guard({ budget: 'b' }, () => round), name).toBe(round);
      const error = await refusal(
        farthing.guard({ budget: 'b', whenUnknown: 'deny' }, () => expect.fail('it was made')),
      );
      expect(error, name).toMatchObject({ spent: undefined, resetsAt: undefined });
    }
    expect(checks(), name).toBe(1);
    expect(
      problems.map(({ code }) => code),
      name,
    ).toEqual(['unknown_budget']);
    expect(problems[0]?.message).not.toContain('fk_1');
  }
  const { farthing, problems } = stub(away, { apiKey: '' });
  expect(await farthing.guard({ budget: 'b' }, () => 1)).toBe(1);
  expect(problems[0]?.message).toContain('FARTHING_API_KEY');
});

test('D32.3: a service that is there again is asked again, and a new absence is told again', async () => {
  const pass = stopClocks();
  let isAway = true;
  const { farthing, problems } = stub(() => {
    if (isAway) throw new TypeError('fetch failed');
    return answerOf({ spent: 2, amount: 2 }, null);
  });
  const ask = () => farthing.guard({ budget: 'b' }, () => 'made');
  expect(await ask()).toBe('made');
  isAway = false;
  pass(1_050);
  expect(await refusal(ask())).toMatchObject({ spent: 2, resetsAt: undefined });
  isAway = true;
  pass(150);
  expect(await ask()).toBe('made');
  expect(problems).toHaveLength(2);
});

test('D32.3: many calls at once pass the amount by two at most, also before it is known what one costs', async () => {
  const budget = { spent: 0, amount: 20 };
  const { farthing, checks } = stub(() => answerOf(budget));
  let most = 0;
  const together = (count: number, options = {}) =>
    Promise.allSettled(
      Array.from({ length: count }, () =>
        farthing.guard({ budget: 'b', ...options }, async () => {
          await pause(120);
          budget.spent += 2;
          most = Math.max(most, budget.spent);
        }),
      ),
    );
  const results = await together(100);
  expect(most).toBeGreaterThanOrEqual(20);
  expect(most).toBeLessThanOrEqual(24);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(most / 2);
  expect(checks()).toBeLessThan(60);

  // Who only warns waits for nothing.
  const warned = stub(() => answerOf({ spent: 0, amount: 1 }));
  let begun = 0;
  const warnings = Array.from({ length: 50 }, () =>
    warned.farthing.guard({ budget: 'b', onExceeded: 'warn' }, () => {
      begun += 1;
      return pause(50);
    }),
  );
  await Promise.race(warnings);
  expect(begun).toBe(50);
});

test('D32.3: calls that cost nothing, or end late, are waited for once, and then all are made', async () => {
  const free = stub(() => answerOf({ spent: 1, amount: 2 }));
  const made = await Promise.all(
    Array.from({ length: 100 }, () => free.farthing.guard({ budget: 'b' }, () => pause(20))),
  );
  expect(made).toHaveLength(100);

  const late = stub(() => answerOf({ spent: 1, amount: 2 }));
  let begun = 0;
  const atOnce = (of: string) => {
    for (let each = 0; each < 30; each += 1) {
      void late.farthing.guard({ budget: 'b', of }, () => {
        begun += 1;
        return new Promise(() => undefined);
      });
    }
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  try {
    atOnce('acme');
    await vi.advanceTimersByTimeAsync(9_800);
    expect(begun).toBe(2);
    await vi.advanceTimersByTimeAsync(400);
    expect(begun).toBe(30);
    atOnce('globex');
    await vi.advanceTimersByTimeAsync(100);
    expect(begun).toBe(60);
  } finally {
    vi.useRealTimers();
  }
});

test('D32.3: instances that ask the same service with the same key know the same', async () => {
  const budget = { spent: 0, amount: 10 };
  let checks = 0;
  const one: typeof fetch = async (url) => {
    if (!String(url).includes('/check/')) return Response.json({ ok: true });
    checks += 1;
    return answerOf(budget);
  };
  const { farthing } = stub(() => answerOf(budget), { fetch: one });
  const other = stub(() => answerOf(budget), { fetch: one }).farthing;
  const calls = Array.from({ length: 60 }, (_, at) =>
    (at % 2 === 0 ? farthing : other).guard({ budget: 'b' }, async () => {
      await pause(50);
      budget.spent += 1;
    }),
  );
  await Promise.allSettled(calls);
  expect(budget.spent).toBeLessThanOrEqual(12);
  const before = checks;
  await Promise.allSettled([farthing, other].map((each) => each.guard({ budget: 'c' }, () => undefined)));
  expect(checks).toBe(before + 1);
});

test('D32.3: what another budget has told of costs refuses nothing by itself, and lets little pass', async () => {
  const stored: { budget: string; cost: number; at: number }[] = [];
  const spentOn = (budget: string, until = Date.now()) =>
    stored.reduce((sum, call) => sum + (call.budget === budget && call.at <= until ? call.cost : 0), 0);
  const amounts: Record<string, number> = { dear: 100, cheap: 1, next: 10 };
  let checks = 0;
  // Answers are half a second behind.
  const fetch: typeof globalThis.fetch = async (url) => {
    const budget = String(url).split('/').at(-3) ?? '';
    if (!String(url).includes('/check/')) return Response.json({ ok: true });
    const [asOf, amount] = [Date.now() - 500, amounts[budget] ?? 0];
    const spent = spentOn(budget, asOf);
    checks += 1;
    await pause(20);
    return Response.json({ spent, remaining: amount - spent, resets_at: null, as_of: new Date(asOf).toISOString() });
  };
  const { farthing } = stub(() => answerOf({ spent: 0, amount: 0 }), { fetch });
  const together = async (budget: string, count: number, cost: number) => {
    const calls = Array.from({ length: count }, () =>
      farthing.guard({ budget }, async () => {
        await pause(250);
        stored.push({ budget, cost, at: Date.now() });
      }),
    );
    return (await Promise.allSettled(calls)).flatMap((call) => (call.status === 'rejected' ? [call.reason] : []));
  };
  const began = Date.now();
  expect(await together('dear', 5, 2)).toEqual([]);
  expect(await together('cheap', 20, 0.01)).toEqual([]);
  const refusals = await together('next', 300, 0.05);
  expect(spentOn('next')).toBeGreaterThanOrEqual(9.9);
  expect(spentOn('next')).toBeLessThanOrEqual(10.1);
  for (const { spent } of refusals) expect(spent).toBeLessThanOrEqual(10.2);
  // Those that wait ask together, ten times a second at most.
  expect(checks).toBeLessThan((Date.now() - began) / 100 + 5);
}, 20_000);

test('D32.3: without a name of a budget nothing is asked, and calls are made or denied as asked', async () => {
  const { farthing, problems, checks } = stub(() => answerOf({ spent: 0, amount: 1 }));
  for (const budget of [undefined, null, '']) {
    const options = { budget } as unknown as { budget: string };
    expect(await farthing.guard(options, () => 'made')).toBe('made');
    const denied = { ...options, whenUnknown: 'deny' as const };
    await refusal(farthing.guard(denied, () => expect.fail('it was made')));
  }
  expect(checks()).toBe(0);
  expect(problems[0]).toMatchObject({ code: 'unknown_budget', message: expect.stringContaining('needs its name') });
});
