import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** How mails are sent: from which address, and by which identities of SES. */
export interface MailSender {
  from: string;
  identities: string[];
}

/**
 * Reads the sender from the context `mailFrom`, an address or a domain; undefined when there is none. An address may be
 * verified by itself or by its domain.
 */
export function mailSender(scope: Construct): MailSender | undefined {
  const given = String(scope.node.tryGetContext('mailFrom') ?? '').trim();
  if (given === '') return undefined;
  const domain = given.slice(given.lastIndexOf('@') + 1);
  return given === domain ? { from: `holdfast@${domain}`, identities: [domain] } : { from: given, identities: [given, domain] };
}

/** Lets a function send mails from that address only. */
export const mailPolicy = (scope: Construct, { from, identities }: MailSender) =>
  new PolicyStatement({
    actions: ['ses:SendEmail'],
    resources: identities.map((identity) => identityArn(scope, identity)),
    conditions: { StringEquals: { 'ses:FromAddress': from } },
  });

const identityArn = (scope: Construct, resourceName: string) =>
  Stack.of(scope).formatArn({ service: 'ses', resource: 'identity', resourceName, arnFormat: ArnFormat.SLASH_RESOURCE_NAME });
