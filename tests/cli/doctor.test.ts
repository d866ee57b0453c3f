// What `farthing doctor` says of a service that warns.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { describeFailures } from '../../src/server/operations/warnings.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** What the command prints when the service gives these warnings and nothing else. */
async function printedFor(warnings: readonly string[]): Promise<string> {
  const service = createServer((request, response) => {
    response.writeHead(request.url === '/readyz' ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ checks: {}, warnings }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const { port } = service.address() as AddressInfo;
  const given = ['--url', `http://127.0.0.1:${port}`, '--token', 'any', '--json'];
  // It ends with an error, as the other routes do not answer.
  await doctorCommand()
    .parseAsync(given, { from: 'user' })
    .catch(() => undefined);
  service.close();
  return print.mock.calls.flat().join('\n');
}

const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
const readOnly = Object.assign(new Error('read-only'), { code: 'EROFS' });
const failing = Object.assign(new Error('broken'), { code: 'EIO' });

test.each([
  [full, 'the disk is full; free some space or enlarge it, and the service goes on by itself'],
  [readOnly, 'the disk is read-only; mount it writable and restart the service'],
  [failing, 'the disk fails; move the data folder to another disk, or restore a backup there'],
  [new Error('unknown'), 'the log has the cause'],
])('a warning of a failure ends with what to do: %s', (cause, advice) => {
  const [ofIntake, ofAssembly] = describeFailures({
    ...{ intake: cause, takesEvents: false, assembly: cause, failingProjects: 0, catchingUpMs: 0 },
  });
  expect(ofIntake).toBe(`events can't be stored, and are refused with 503: ${advice}`);
  expect(ofAssembly).toBe(`events can't be made into calls, and answers that need them are refused: ${advice}`);
});

test('a start that has long been making calls of earlier events, as after a restore, says so', () => {
  const fine = { intake: undefined, takesEvents: true, assembly: undefined, failingProjects: 0 };
  expect(describeFailures({ ...fine, catchingUpMs: 900 })).toEqual([]);
  expect(describeFailures({ ...fine, catchingUpMs: 60_000 })).toEqual([
    expect.stringContaining('are refused until then'),
  ]);
});

test('doctor adds nothing to a warning: for a full disk it names no backup', async () => {
  const warnings = describeFailures({
    ...{ intake: full, takesEvents: false, assembly: undefined, failingProjects: 0, catchingUpMs: 0 },
  });
  const printed = await printedFor(warnings);
  const { findings } = JSON.parse(printed) as { findings: { check: string; detail: string }[] };
  expect(findings.filter(({ check }) => check === 'engine').map(({ detail }) => detail)).toEqual(warnings);
});
