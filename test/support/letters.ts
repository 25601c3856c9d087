import { randomBytes } from 'node:crypto';
import { awsJson } from '../../infra/local/aws-json.ts';
import { listen } from '../../infra/local/loopback.ts';
import { mailApi } from '../../infra/local/mail-api.ts';
import type { Mail, Outbox } from '../../infra/local/outbox.ts';
import { secretsOf } from '../../infra/local/secrets.ts';
import { openTables } from './tables.ts';

/** The tables, the link key and a mail server that keeps what it takes. */
export interface Letters {
  readonly mails: readonly Omit<Mail, 'id' | 'at'>[];
  /** Whether it takes mails. */
  takes: boolean;
  close(): Promise<void>;
}

/** Points the handlers' code of this process at real tables and a mail server. Call it before importing that code. */
export async function openLetters(): Promise<Letters> {
  const tables = await openTables();
  const mails: Omit<Mail, 'id' | 'at'>[] = [];
  const outbox = { add: async (mail: Omit<Mail, 'id' | 'at'>) => String(mails.push(mail)) } as Outbox;
  const json = awsJson({ secretsmanager: { version: '1.1', operations: secretsOf(randomBytes(48).toString('base64url')) } });
  const services = await listen(mailApi({ outbox, fails: () => !letters.takes }, json));
  Object.assign(process.env, { AWS_ENDPOINT_URL_SESV2: services.url, AWS_ENDPOINT_URL_SECRETS_MANAGER: services.url });
  const letters: Letters = {
    mails,
    takes: true,
    async close() {
      await services.close();
      await tables.close();
    },
  };
  return letters;
}
