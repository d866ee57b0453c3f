import { spawn } from 'node:child_process';

/**
 * Has a shell run a command, with `$0` as its argument, when this process ends, however it ends: a test run that is
 * interrupted or killed leaves no processes and no directories behind. Answers a function that calls it off.
 */
export function whenThisProcessEnds(command: string, argument: string): () => void {
  // Nobody writes to this pipe: it is closed when this process is gone.
  const shell = spawn('sh', ['-c', `cat > /dev/null; ${command}`, argument], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  const pipe = shell.stdin;
  if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  return () => {
    shell.kill('SIGKILL');
  };
}
