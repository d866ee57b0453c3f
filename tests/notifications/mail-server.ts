// A real SMTP server on this machine.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface Mail {
  readonly to: readonly string[];
  readonly text: string;
}

export interface MailServer {
  readonly port: number;
  readonly mails: readonly Mail[];
  close(): Promise<void>;
}

export interface MailServerOptions {
  /** The reply code for the nth e-mail, counted from 0; undefined takes it. */
  readonly refuse?: (nth: number) => number | undefined;
  /** Who may send; undefined for everybody. */
  readonly user?: string;
  readonly password?: string;
}

export async function startMailServer({ refuse, user, password }: MailServerOptions = {}): Promise<MailServer> {
  const mails: Mail[] = [];
  let nth = 0;
  const server = new SMTPServer({
    authOptional: user === undefined,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) => {
      if (auth.username === user && auth.password === password) done(null, { user: auth.username });
      else done(new Error('wrong password'));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const code = refuse?.(nth);
        nth += 1;
        if (code !== undefined) return done(Object.assign(new Error('not now'), { responseCode: code }));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, text: Buffer.concat(chunks).toString('utf8') });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    close: async () => await new Promise((resolve) => server.close(() => resolve())),
  };
}
