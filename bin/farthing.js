#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { isBuilt } from './built.js';
import { run } from './runtime.js';

const toPath = (path) => fileURLToPath(new URL(path, import.meta.url));
const built = toPath('../dist/service/cli.js');
// As npm has built it when it installed, which starts in half the time, and after a change the sources themselves.
const program = isBuilt(built, ['../src', '../package-lock.json'].map(toPath)) ? built : toPath('../src/cli.ts');
run(program, process.argv.slice(2));
