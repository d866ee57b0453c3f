import { spawn } from 'node:child_process';

/**
 * Has a shell run a command, with `$0` as its argument, when this process ends in any way, so that an interrupted or killed
 * test run leaves no processes or directories behind. Returns a function that cancels it.
 */
export function whenThisProcessEnds(command: string, argument: string): () => void {
  // Nothing is written to this pipe; it closes when this process ends.
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
