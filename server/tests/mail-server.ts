import { once } from 'node:events';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A received mail: the recipients of its envelope, and its content. */
type ArrivedMail = { rcptTo: string[]; mail: Email };

export type MailServer = {
  url: string;
  mails: ArrivedMail[];
  /** The status code for a recipient; null accepts. */
  refuse: (address: string) => number | null;
  /** Every recipient so far. */
  mailboxes: () => string[];
  stop: () => Promise<void>;
};

/** A local mail server that keeps what it receives. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ArrivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const responseCode = mailServer.refuse(address);
      done(responseCode === null ? null : Object.assign(new Error('not here'), { responseCode }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        PostalMime.parse(Buffer.concat(chunks))
          .then((mail) => {
            mails.push({ rcptTo: session.envelope.rcptTo.map(({ address }) => address), mail });
            done();
          })
          .catch(done);
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse: () => null,
    mailboxes: () => mails.flatMap(({ rcptTo }) => rcptTo),
    stop: () => new Promise<void>((done) => server.close(done)),
  };
  return mailServer;
}
