import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from '../../src/lib/make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'farthing-folder-'));
afterAll(() => rmSync(root, { recursive: true }));
writeFileSync(join(root, 'file'), '');
symlinkSync(join(root, 'nowhere', 'none'), join(root, 'dangling'));
symlinkSync(join(root, 'circle'), join(root, 'circle'));

test.each([
  ['/proc/farthing', /cannot be made here/],
  ['/proc/farthing/data', /cannot be made here/],
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
