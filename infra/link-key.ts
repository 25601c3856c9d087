import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { accept } from './accepted.ts';
import { removalOf } from './removal.ts';
import type { Settings } from './settings.ts';

/** The secret that signs links. It outlives its stack: links that were mailed stay valid as long as what they ask about waits. */
export class LinkKey extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, settings: Settings) {
    super(scope, 'LinkKey');
    this.secret = new Secret(this, 'Secret', {
      description: 'Signs the links of mails that ask people',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: removalOf(settings),
    });
    accept(this.secret, {
      'AwsSolutions-SMG4': 'It is rotated by hand when it may have leaked: mailed links outlive it, by the hash that is kept of each',
    });
  }
}
