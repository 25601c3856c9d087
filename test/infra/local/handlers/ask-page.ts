import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { VARIABLES } from '../../../../shared/environment.ts';

const HTML = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': "default-src 'none'" };

interface Event {
  routeKey: string;
  requestContext: { http: { method: string } };
  pathParameters: { id: string };
}

/** Shows a page; a POST to it sends a mail with the key, and leads elsewhere. */
export async function handler({ requestContext: { http }, pathParameters: { id } }: Event) {
  if (http.method !== 'POST') return { statusCode: 200, headers: HTML, cookies: ['seen=1; HttpOnly'], body: `<p>${http.method} ${id}</p>` };
  const to = `${id}@example.com`;
  const { SecretString } = await new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId: process.env[VARIABLES.linkKey] }));
  await new SESv2Client({}).send(
    new SendEmailCommand({
      FromEmailAddress: process.env[VARIABLES.mailFrom],
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: { Data: 'Grüße' },
          Body: { Text: { Data: `${process.env[VARIABLES.publicUrl]}/a/${id}` }, Html: { Data: `<p>${SecretString}</p>` } },
          Headers: [{ Name: 'Auto-Submitted', Value: 'auto-generated' }],
        },
      },
    }),
  );
  return { statusCode: 303, headers: { location: `/a/${id}?sent=1` } };
}
