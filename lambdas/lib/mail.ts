import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';

const ses = new SESv2Client({});

/** A mail with a text and an HTML form. */
export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Mails of one run stand in one thread. */
  readonly thread: string;
}

/** Sends a mail. Throws what SES throws: the caller decides when to try again. */
export async function sendMail({ from, to, subject, text, html, thread }: Mail): Promise<void> {
  const content = (data: string) => ({ Data: data, Charset: 'UTF-8' });
  await ses.send(
    new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: content(subject),
          Body: { Text: content(text), Html: content(html) },
          Headers: [
            { Name: 'References', Value: thread },
            { Name: 'In-Reply-To', Value: thread },
            { Name: 'Auto-Submitted', Value: 'auto-generated' },
          ],
        },
      },
    }),
  );
}
