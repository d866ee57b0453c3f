import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder, makePrivateFolder } from '../../src/lib/make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'farthing-folder-'));
afterAll(() => rmSync(root, { recursive: true }));
writeFileSync(join(root, 'file'), '');
symlinkSync(join(root, 'nowhere', 'none'), join(root, 'dangling'));
symlinkSync(join(root, 'circle'), join(root, 'circle'));

test.each([
  ['/proc', /nothing can be made here|may not make it or write to it/],
  ['/proc/farthing', /nothing can be made here/],
  ['/proc/farthing/data', /nothing can be made here/],
  ['/sys/farthing', /may not make it|cannot be used|read-only|cannot be made/],
  ['/dev/null', /is a file/],
  ['/dev/null/data', /a part of its path is a file/],
  [join(root, 'file'), /is a file/],
  [join(root, 'file', 'data'), /a part of its path is a file/],
  [join(root, 'dangling'), /link to nowhere/],
  [join(root, 'circle'), /circle/],
  [join(root, 'x'.repeat(300)), /too long/],
])('D13.1: %s is refused with the reason and what to do', (path, why) => {
  expect(() => makeFolder(path)).toThrow(why);
  expect(() => makeFolder(path)).toThrow(/name another folder/);
});

test('D13.1: a folder is made with those above it, for its owner alone, and taken as it is when it is there', () => {
  const path = join(root, 'a', 'b', 'c');
  makeFolder(path);
  makeFolder(path);
  for (const one of [path, join(root, 'a')]) expect(statSync(one).mode & 0o777).toBe(0o700);
});

const privateFolder = new URL('../../src/lib/make-folder.ts', import.meta.url).href;
const makeAsAnother = `import { makePrivateFolder } from '${privateFolder}'; makePrivateFolder(process.argv[1]);`;

test('D13.1: a folder of another user, as a mounted volume is, is taken as it is; an own one is closed to others', () => {
  const [own, others] = [join(root, 'own'), join(root, 'others')];
  for (const path of [own, others]) {
    mkdirSync(path);
    chmodSync(path, 0o777);
  }
  makePrivateFolder(own);
  expect(statSync(own).mode & 0o777).toBe(0o700);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(others, 65_534, 65_534);
  const asAnother = isRoot ? ['setpriv', '--bounding-set', '-fowner', '--inh-caps', '-fowner'] : [];
  const [command = '', ...args] = [...asAnother, process.execPath, '--input-type=module', '-e', makeAsAnother];
  execFileSync(command, [...args, isRoot ? others : own], { stdio: 'pipe' });
  expect(statSync(others).mode & 0o777).toBe(0o777);
});

test('D13.1: a folder that others use, as /tmp is, stays open to them; an empty one is closed', () => {
  const shared = join(root, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  writeFileSync(join(shared, 'of-others'), '');
  for (const path of [shared, '/']) expect(() => makePrivateFolder(path)).toThrow(/shared with others/);
  expect(statSync(shared).mode & 0o7777).toBe(0o1777);
  rmSync(join(shared, 'of-others'));
  makePrivateFolder(shared);
  expect(statSync(shared).mode & 0o7777).toBe(0o700);
});
