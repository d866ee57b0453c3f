// Random tests use the same cases every time, so that two runs of the mutation tester agree.
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_240_501 });
