import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Spool } from '../../src/storage/analytic/embedded/server/spool.ts';

let storePath: string;
let spool: Spool;
beforeEach(async () => {
  storePath = await mkdtemp(join(tmpdir(), 'farthing-spool-'));
  spool = Spool.create(storePath);
});
afterEach(async () => {
  spool.close();
  await rm(storePath, { recursive: true, force: true });
});

const folder = () => dirname(spool.newPath());
const never = new AbortController().signal;

async function* bytes(...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function* brokenOff() {
  yield Buffer.from('half a ro');
  throw new Error('connection lost');
}

test('a body becomes a file that only this user can read', async () => {
  const path = await spool.receive(bytes('one', 'two'), never);
  expect(await readFile(path, 'utf8')).toBe('onetwo');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(folder())).mode & 0o777).toBe(0o700);
});

test('a body that breaks off leaves no file', async () => {
  await expect(spool.receive(brokenOff(), never)).rejects.toThrow('connection lost');
  expect(readdirSync(folder())).toEqual([]);
});

test('files of a killed process are removed at the next start', async () => {
  await spool.receive(bytes('left behind'), never);
  await spool.createPipes(2);
  expect(readdirSync(folder())).toHaveLength(3);
  Spool.create(storePath);
  expect(readdirSync(folder())).toEqual([]);
});

test('where there is no folder in memory, it is in the store', async () => {
  const onDisk = Spool.create(storePath, join(storePath, 'nowhere'));
  const path = await onDisk.receive(bytes('row'), never);
  expect(path.startsWith(join(storePath, 'tmp'))).toBe(true);
  onDisk.close();
  expect(existsSync(path)).toBe(false);
});

test('bytes that one query leaves in a pipe do not reach the next', async () => {
  const [pipe] = await spool.createPipes(1);
  if (pipe === undefined) throw new Error('there is no pipe');
  const first = await pipe.open();
  const engine = await open(pipe.path, 'w');
  await engine.write('unread');
  first.rows.destroy();
  first.closeWriter();
  await pipe.replace();

  const second = await pipe.open();
  second.closeWriter();
  expect(await second.rows.toArray()).toEqual([]);
  await engine.close();
});

test('the folder is made again when the system has removed it', async () => {
  const [pipe] = await spool.createPipes(1);
  rmSync(folder(), { recursive: true });
  expect(await readFile(await spool.receive(bytes('row'), never), 'utf8')).toBe('row');

  const opened = await pipe?.open();
  opened?.closeWriter();
  expect(await opened?.rows.toArray()).toEqual([]);
});
