import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { EmailSendingEvent, EventDestination } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { accept } from './accepted.ts';
import type { Mail } from './mail.ts';

/** Tells a function about every mail of a configuration set that came back. SES brings its events to the default bus alone. */
export class ReturnedMail extends Construct {
  constructor(scope: Construct, { set, configurationSet }: Mail, mailEvent: IFunction) {
    super(scope, 'ReturnedMail');
    // Clicks and opens are not counted: for that SES would rewrite the links.
    set.addEventDestination('ReturnedMail', {
      destination: EventDestination.eventBus(EventBus.fromEventBusName(this, 'Bus', 'default')),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT, EmailSendingEvent.REJECT],
    });
    const rule = new Rule(this, 'Rule', {
      eventPattern: {
        source: ['aws.ses'],
        detailType: ['Email Bounced', 'Email Complaint Received', 'Email Rejected'],
        detail: { mail: { tags: { 'ses:configuration-set': [configurationSet] } } },
      },
      targets: [new LambdaFunction(mailEvent)],
    });
    accept(rule, { 'Serverless-EventBusDLQ': 'An ask whose mail came back unheard grows old, and an alarm says so' });
  }
}
