#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { run } from './runtime.js';

run(fileURLToPath(new URL('../src/cli.ts', import.meta.url)), process.argv.slice(2));
