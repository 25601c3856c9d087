import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail as it came over the wire. */
export interface Received {
  readonly from: string;
  readonly to: string;
  /** The message with its headers, as it was sent. */
  readonly raw: string;
  /** Its plain text. */
  readonly text: string;
}

/** A mail server on the loopback interface that wants a name and a password. */
export interface Smtp {
  readonly url: string;
  readonly mails: readonly Received[];
  /** Addresses that it does not take. */
  refused: string[];
  close(): Promise<void>;
}

const USER = 'desk';
const PASSWORD = 'p@ss:word';

/** Starts a mail server on a free port. */
export async function startSmtp(): Promise<Smtp> {
  const mails: Received[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (username === USER && password === PASSWORD) done(null, { user: USER });
      else done(new Error('Authentication failed'));
    },
    onRcptTo({ address }, _session, done) {
      done(smtp.refused.includes(address) ? Object.assign(new Error('No such user here'), { responseCode: 550 }) : null);
    },
    onData(stream, { envelope }, done) {
      void text(stream).then((raw) => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address).join(), raw, text: plainTextOf(raw) });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const smtp: Smtp = {
    url: `smtp://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
    mails,
    refused: [],
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  return smtp;
}

/** The text part of a message of two parts. */
function plainTextOf(raw: string): string {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1];
  const part = raw.split(`--${boundary}`).find((each) => /^content-type: text\/plain/im.test(each)) ?? '';
  const [head = '', ...body] = part.trimStart().split('\r\n\r\n');
  const content = body.join('\r\n\r\n');
  return /quoted-printable/i.test(head) ? unquoted(content) : content;
}

function unquoted(content: string): string {
  const bytes = content
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
