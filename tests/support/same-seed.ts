// The random cases of fast-check come from the seed of the run (effort.ts).
import fc from 'fast-check';
import { seed } from './effort.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
