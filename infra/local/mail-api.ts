import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import * as z from 'zod';
import { ServiceError } from './aws-service.ts';
import { isLocal, readBody, sendJson } from './loopback.ts';
import type { Outbox } from './outbox.ts';

const PATH = '/v2/email/outbound-emails';
const MAX_REQUEST_BYTES = 10 * 1024 * 1024;

const content = z.strictObject({ Data: z.string(), Charset: z.string().optional() });
/** What SES takes for a header: printable ASCII, within these lengths. */
const header = z.strictObject({
  Name: z.string().regex(/^[!-9;-~]{1,126}$/),
  Value: z
    .string()
    .max(995)
    .regex(/^[ -~]*$/),
});
/** A tag as SES takes it. */
const tag = z.strictObject({ Name: z.string().regex(/^[\w-]{1,256}$/), Value: z.string().regex(/^[\w-]{1,256}$/) });
/** The fields of `SendEmail` that are answered here; others are refused, since their mail would not be the one that was meant. */
const sendEmail = z.strictObject({
  FromEmailAddress: z.string().min(1),
  EmailTags: z.array(tag).max(50).default([]),
  Destination: z.strictObject({ ToAddresses: z.array(z.string().min(1)).min(1).max(50) }),
  Content: z.strictObject({
    Simple: z.strictObject({
      Subject: content,
      Body: z.strictObject({ Text: content.optional(), Html: content.optional() }),
      Headers: z.array(header).max(15).default([]),
    }),
  }),
});

export interface MailSettings {
  outbox: Outbox;
  /** Tells whether mails to an address are rejected. */
  fails(to: string): boolean;
}

/** Answers SES version 2's `SendEmail`: mails go to the outbox. */
export const mailApi =
  (settings: MailSettings, otherwise: RequestListener): RequestListener =>
  (request, response) => {
    if (!request.url?.startsWith('/v2/email/')) return otherwise(request, response);
    void answer(settings, request, response).catch(() => response.destroy());
  };

async function answer(settings: MailSettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request, MAX_REQUEST_BYTES);
  if (!isLocal(request, request.socket.localPort as number)) return void response.writeHead(403).end();
  try {
    if (request.method !== 'POST' || request.url !== PATH) throw new ServiceError('NotFoundException', 'There is only SendEmail here');
    sendJson(response, 200, { MessageId: await send(settings, body?.toString() ?? '') });
  } catch (error) {
    const { name, message } = error as Error;
    response.setHeader('x-amzn-errortype', name);
    sendJson(response, name === 'NotFoundException' ? 404 : 400, { message });
  }
}

async function send({ outbox, fails }: MailSettings, body: string): Promise<string> {
  const { FromEmailAddress: from, Destination, Content, EmailTags } = parsed(body);
  const { Subject, Body, Headers } = Content.Simple;
  const failing = Destination.ToAddresses.find(fails);
  if (failing !== undefined) {
    throw new ServiceError('MessageRejected', `Email address is not verified. The following identities failed the check: ${failing}`);
  }
  const [to, headers] = [Destination.ToAddresses.join(', '), Object.fromEntries(Headers.map(({ Name, Value }) => [Name, Value]))];
  const tags = Object.fromEntries(EmailTags.map(({ Name, Value }) => [Name, Value]));
  return outbox.add({ from, to, subject: Subject.Data, text: Body.Text?.Data ?? '', html: Body.Html?.Data ?? '', headers, tags });
}

function parsed(body: string): z.infer<typeof sendEmail> {
  try {
    return sendEmail.parse(JSON.parse(body));
  } catch (cause) {
    throw new ServiceError('BadRequestException', `Cannot read the mail: ${(cause as Error).message}`);
  }
}
