import { isLoopback } from '../../../shared/recipient.ts';
import { settings } from '../settings.ts';
import { type Channel, SEND_MS, sender, threadOf } from './letter.ts';

/** Mail by the SMTP server of HOLDFAST_SMTP_URL. Throws when it was not taken, with the server's words. */
export const smtp: Channel = async (letter) => {
  const from = sender();
  // Its parts by themselves: the whole library brings transports that nothing here uses.
  const [{ default: Mailer }, { default: SMTPTransport }] = await Promise.all([
    import('nodemailer/lib/mailer'),
    import('nodemailer/lib/smtp-transport'),
  ]);
  const thread = threadOf(letter);
  await new Mailer(new SMTPTransport(serverOf(settings().smtpUrl ?? ''))).sendMail({
    from,
    to: { name: '', address: letter.to },
    messageId: `<${letter.id}@${from.slice(from.lastIndexOf('@') + 1).replace(/[^\w.-]/g, '')}>`,
    subject: letter.subject,
    text: letter.text,
    html: letter.html,
    references: thread,
    inReplyTo: thread,
    headers: { 'Auto-Submitted': 'auto-generated' },
    signal: AbortSignal.timeout(SEND_MS),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
};

/** Links let in whoever has them: they go out encrypted, unless the server is this machine or the URL says `requireTLS=false`. */
const serverOf = (url: string) => ({ requireTLS: !isLoopback(new URL(url).hostname), url });
