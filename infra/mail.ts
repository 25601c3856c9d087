import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ConfigurationSet } from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';

/** How mails are sent: from which address, by which identities of SES, and with which configuration set. */
export interface MailSender {
  from: string;
  identities: string[];
  set: ConfigurationSet;
}

/**
 * Reads the sender from the context `mailFrom`, an address or a domain; undefined when there is none. An address may be
 * verified by itself or by its domain.
 */
export function mailSender(scope: Construct): MailSender | undefined {
  const given = String(scope.node.tryGetContext('mailFrom') ?? '').trim();
  if (given === '') return undefined;
  const domain = given.slice(given.lastIndexOf('@') + 1);
  const set = new ConfigurationSet(scope, 'Mails');
  return given === domain ? { from: `holdfast@${domain}`, identities: [domain], set } : { from: given, identities: [given, domain], set };
}

/** Lets a function send mails from that address and with that configuration set only. */
export const mailPolicy = (scope: Construct, { from, identities, set }: MailSender) =>
  new PolicyStatement({
    actions: ['ses:SendEmail'],
    resources: [
      ...identities.map((identity) => sesArn(scope, 'identity', identity)),
      sesArn(scope, 'configuration-set', set.configurationSetName),
    ],
    conditions: { StringEquals: { 'ses:FromAddress': from } },
  });

const sesArn = (scope: Construct, resource: string, resourceName: string) =>
  Stack.of(scope).formatArn({ service: 'ses', resource, resourceName, arnFormat: ArnFormat.SLASH_RESOURCE_NAME });
