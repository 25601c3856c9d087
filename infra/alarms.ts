import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { CARRIERS } from '../shared/functions.ts';
import { accept } from './accepted.ts';
import { figure, share, sum, tableThrottles, type Watched } from './figures.ts';
import { prefixOf } from './names.ts';

/** One thing that somebody should know of. `name` is its section in docs/runbook.md. */
interface Watch {
  readonly name: string;
  readonly says: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** Periods in a row; 1 unless told otherwise. */
  readonly periods?: number;
  /** It is raised below the threshold, and while nothing is measured. */
  readonly whenMissing?: true;
}

/** The alarms, and the topic that they tell. */
export class Alarms extends Construct {
  readonly topic: Topic;
  readonly alarms: Alarm[];

  constructor(scope: Construct, watched: Watched) {
    super(scope, 'Alarms');
    const { stage, alarmMail } = watched.settings;
    this.topic = new Topic(this, 'Topic', { topicName: `${prefixOf(stage)}-alarms`, enforceSSL: true });
    // A topic with a policy of its own lets alarms in no more by itself.
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    this.topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
    if (alarmMail) this.topic.addSubscription(new EmailSubscription(alarmMail));
    accept(this.topic, { 'Serverless-SNSRedrivePolicy': 'A mail that is lost tells no more than the state of its alarm, which stays' });
    this.alarms = watches(watched).map((watch) => this.alarm(stage, watch));
  }

  private alarm(stage: string, { name, says, metric, threshold, periods = 1, whenMissing }: Watch): Alarm {
    const alarm = new Alarm(this, name.replaceAll(' ', ''), {
      alarmName: `${prefixOf(stage)}-${name.toLowerCase().replaceAll(' ', '-')}`,
      alarmDescription: `${says}. What to do: docs/runbook.md, section "${name}".`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: whenMissing ? ComparisonOperator.LESS_THAN_THRESHOLD : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: whenMissing ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
    return alarm;
  }
}

/** The longest a step can be at work is a quarter of an hour: a run that is silent for twice that has been lost. */
const SILENT_SECONDS = 30 * 60;

const watches = (watched: Watched): Watch[] => [...ofRuns(watched), ...ofPeople(watched), ...ofPlatform(watched)];

function ofRuns({ settings: { stage } }: Watched): Watch[] {
  const ended = sum(
    'ended',
    [figure(stage, 'RunsCompleted', 'Sum', 60), figure(stage, 'RunsFailed', 'Sum', 60), figure(stage, 'RunsCancelled', 'Sum', 60)],
    60,
  );
  return [
    {
      name: 'Stuck runs',
      says: 'A running run has given no sign of life for half an hour',
      metric: figure(stage, 'LongestSilenceSeconds', 'Minimum'),
      threshold: SILENT_SECONDS,
      periods: 2,
    },
    {
      name: 'Interrupted runs',
      says: 'The platform cannot get a run going',
      metric: figure(stage, 'RunsInterrupted', 'Sum'),
      threshold: 1,
    },
    {
      name: 'Failed runs',
      says: 'More than a fifth of the runs that ended within an hour failed',
      metric: share('failed', figure(stage, 'RunsFailed', 'Sum', 60), ended, 3, 60),
      threshold: 20,
    },
  ];
}

function ofPeople({ settings: { stage, askAlarmHours }, mail }: Watched): Watch[] {
  return [
    {
      name: 'Overdue asks',
      says: `Nobody has answered an ask for ${askAlarmHours} hours`,
      metric: figure(stage, 'OldestAskSeconds', 'Maximum'),
      threshold: askAlarmHours * 3600,
    },
    { name: 'Escalations', says: 'A run asks a person about a fault', metric: figure(stage, 'Escalations', 'Sum'), threshold: 1 },
    {
      name: 'Letter failures',
      says: 'A letter about an ask could not be sent',
      metric: figure(stage, 'LetterFailures', 'Sum', 15),
      threshold: 1,
    },
    ...(mail
      ? [
          {
            name: 'Returned mails',
            says: 'A mailed ask came back, or was complained of',
            metric: figure(stage, 'LettersReturned', 'Sum', 15),
            threshold: 1,
          },
        ]
      : []),
  ];
}

function ofPlatform(watched: Watched): Watch[] {
  const { functions, machine, api, undelivered, settings } = watched;
  const carriers = CARRIERS.map((name) => functions.byName[name]);
  const quarter = { period: Duration.minutes(15), statistic: 'Sum' };
  return [
    {
      name: 'Failing steps',
      says: 'More than a twentieth of the invocations that carry runs forward failed',
      metric: share(
        'failing',
        sum(
          'errors',
          carriers.map((made) => made.metricErrors(quarter)),
          15,
        ),
        sum(
          'invocations',
          carriers.map((made) => made.metricInvocations(quarter)),
          15,
        ),
        5,
      ),
      threshold: 5,
    },
    {
      name: 'Failing requests',
      says: 'More than a twentieth of the requests to the API failed',
      metric: share('failing', api.httpApi.metricServerError(quarter), api.httpApi.metricCount(quarter), 5),
      threshold: 5,
    },
    {
      name: 'Throttling',
      says: 'Functions, tables or the state machine have been throttled for a quarter of an hour',
      metric: sum('throttled', [
        ...carriers.map((made) => made.metricThrottles()),
        machine.stateMachine.metricThrottled(),
        ...tableThrottles(watched),
      ]),
      threshold: 10,
      periods: 3,
    },
    {
      name: 'Sweep stopped',
      says: 'Nobody has looked after waiting runs for ten minutes',
      metric: figure(settings.stage, 'RunsRunning', 'SampleCount', 10),
      threshold: 1,
      whenMissing: true,
    },
    {
      name: 'Undelivered stops',
      says: 'An execution stopped, and its run could not be taken up again',
      metric: undelivered.queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum' }),
      threshold: 1,
    },
  ];
}
