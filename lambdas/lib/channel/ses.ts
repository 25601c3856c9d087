import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { settings } from '../settings.ts';
import { type Channel, SEND_MS, sender, threadOf } from './letter.ts';

const client = new SESv2Client({});

const content = (data: string) => ({ Data: data, Charset: 'UTF-8' });

/** Mail by SES; on one machine it goes to the outbox. Throws what SES throws. */
export const ses: Channel = async (letter) => {
  const thread = threadOf(letter);
  await client.send(
    new SendEmailCommand({
      FromEmailAddress: sender(),
      ConfigurationSetName: settings().mailConfiguration,
      // By these `mail-event` knows the notice when the mail comes back.
      EmailTags: [
        { Name: 'ask', Value: letter.ask.id },
        { Name: 'place', Value: String(letter.place) },
      ],
      Destination: { ToAddresses: [letter.to] },
      Content: {
        Simple: {
          Subject: content(letter.subject),
          Body: { Text: content(letter.text), Html: content(letter.html) },
          Headers: [
            { Name: 'References', Value: thread },
            { Name: 'In-Reply-To', Value: thread },
            { Name: 'Auto-Submitted', Value: 'auto-generated' },
          ],
        },
      },
    }),
    { abortSignal: AbortSignal.timeout(SEND_MS) },
  );
};
