import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ConfigurationSet, ConfigurationSetTlsPolicy, EmailIdentity, Identity, SuppressionReasons } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { prefixOf } from './names.ts';
import type { Settings } from './settings.ts';

type MailSettings = NonNullable<Settings['mail']>;

/** How mails are sent: by the setting's sender, its identity in SES, and a configuration set that tells what came back. */
export class Mail extends Construct {
  readonly from: string;
  readonly configurationSet: string;
  readonly set: ConfigurationSet;
  /** Lets a function send mails from that address only. */
  readonly policy: PolicyStatement;
  /** The identity that the stack made, if it made one. */
  readonly identity: EmailIdentity | undefined;

  constructor(scope: Construct, stage: string, mail: MailSettings) {
    super(scope, 'Mail');
    this.from = mail.from;
    this.configurationSet = prefixOf(stage);
    this.set = returningSet(this, this.configurationSet);
    this.identity = mail.identity === 'none' ? undefined : new EmailIdentity(this, 'Identity', { identity: identityOf(mail) });
    this.policy = new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: [
        ...identitiesOf(mail).map((name) => sesArn(this, 'identity', name)),
        sesArn(this, 'configuration-set', this.configurationSet),
      ],
      conditions: { StringEquals: { 'ses:FromAddress': mail.from } },
    });
  }
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1);
const identityOf = ({ from, identity }: MailSettings) => (identity === 'address' ? Identity.email(from) : Identity.domain(domainOf(from)));

/** An address may be verified by itself or by its domain. */
const identitiesOf = ({ from, sandboxRecipients }: MailSettings) => [...new Set([from, domainOf(from), ...sandboxRecipients])];

const sesArn = (scope: Construct, resource: string, resourceName: string) =>
  Stack.of(scope).formatArn({ service: 'ses', resource, resourceName, arnFormat: ArnFormat.SLASH_RESOURCE_NAME });

/** It counts no clicks and openings: for that SES would rewrite links, and ours carry secrets. */
const returningSet = (scope: Construct, configurationSetName: string) =>
  new ConfigurationSet(scope, 'ConfigurationSet', {
    configurationSetName,
    tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
    suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
  });
