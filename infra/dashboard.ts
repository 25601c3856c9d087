import {
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
  LogQueryWidget,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '../shared/metrics.ts';
import type { Alarms } from './alarms.ts';
import { figure, sum, tableThrottles, type Watched } from './figures.ts';
import { prefixOf } from './names.ts';
import { FUNCTION_NAMES } from './needs.ts';

const WIDTH = 24;

/** What a person sees at a glance: how the runs do, what they cost, who is waited for, and how the platform does. */
export class Dashboard extends Construct {
  readonly name: string;

  constructor(scope: Construct, watched: Watched, { alarms }: Alarms) {
    super(scope, 'Dashboard');
    const { stage } = watched.settings;
    this.name = prefixOf(stage);
    const show = (title: string, width: number, left: IMetric[], right: IMetric[] = []) => new GraphWidget({ title, width, left, right });
    const figures = (statistic: string, ...names: MetricName[]) =>
      names.map((name) => figure(stage, name, statistic).with({ label: name }));
    new CloudWatchDashboard(this, 'Dashboard', {
      dashboardName: this.name,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms: docs/runbook.md says what to do', width: WIDTH, height: 4, alarms })],
        [
          new SingleValueWidget({ title: 'Runs now', width: 6, metrics: figures('Maximum', 'RunsRunning', 'RunsWaiting') }),
          show(
            'Runs by their start and end',
            9,
            figures('Sum', 'RunsStarted', 'RunsCompleted', 'RunsFailed', 'RunsCancelled', 'RunsInterrupted'),
          ),
          show('Oldest unfinished run and longest silence, s', 9, figures('Maximum', 'OldestUnfinishedSeconds', 'LongestSilenceSeconds')),
        ],
        [
          show('Turns, and the time of a reply, ms', 8, [...latencies(stage)], figures('Sum', 'Turns')),
          show('Tokens', 8, figures('Sum', 'Tokens')),
          show('Cost at list prices, USD', 8, figures('Sum', 'CostUsd')),
        ],
        [
          show('Asks and answers', 8, figures('Sum', 'Asks', 'Answers', 'Escalations', 'BudgetsReached')),
          show('Age of the oldest ask, s', 8, figures('Maximum', 'OldestAskSeconds')),
          show('Retries, waits and summaries', 8, figures('Sum', 'Retries', 'Waits', 'Summaries')),
        ],
        platform(watched, show),
        [lastErrors(watched)],
        [
          new TextWidget({
            width: WIDTH,
            height: 2,
            markdown: `Stage **${stage}**. A run: \`GET /runs/<runId>\`; its lines: filter the logs by \`runId\`.`,
          }),
        ],
      ],
    });
  }
}

const latencies = (stage: string) =>
  ['p50', 'p95'].map((statistic) => figure(stage, 'ReplyMs', statistic).with({ label: `ReplyMs ${statistic}` }));

function platform(watched: Watched, show: (title: string, width: number, left: IMetric[], right?: IMetric[]) => GraphWidget) {
  const { functions, machine, api, undelivered, settings } = watched;
  const all = FUNCTION_NAMES.map((name) => [name, functions.byName[name]] as const);
  const steps = (['model-step', 'tool-step'] as const).map((name) =>
    functions.byName[name].metricDuration({ statistic: 'p95', label: name }),
  );
  const requests = [
    api.httpApi.metricCount({ statistic: 'Sum' }),
    api.httpApi.metricClientError({ statistic: 'Sum' }),
    api.httpApi.metricServerError({ statistic: 'Sum' }),
  ];
  const letters = (['LetterFailures', 'LettersReturned'] as const).map((name) => figure(settings.stage, name, 'Sum').with({ label: name }));
  return [
    show(
      'Errors of functions',
      5,
      all.map(([label, made]) => made.metricErrors({ label })),
    ),
    show('Duration of steps, p95, ms', 5, steps),
    show('Throttled', 5, [
      sum(
        'functions',
        all.map(([, made]) => made.metricThrottles()),
      ),
      sum('tables', tableThrottles(watched)),
      machine.stateMachine.metricThrottled({ label: 'state machine' }),
    ]),
    show('Requests', 5, requests),
    show('Letters that failed, stops not delivered', 4, letters, [undelivered.queue.metricApproximateNumberOfMessagesVisible()]),
  ];
}

const lastErrors = ({ functions }: Watched) =>
  new LogQueryWidget({
    title: 'The last errors',
    width: WIDTH,
    logGroupNames: FUNCTION_NAMES.map((name) => functions.byName[name].logGroup.logGroupName),
    queryLines: ['fields @timestamp, runId, step, message', 'filter level = "error"', 'sort @timestamp desc', 'limit 20'],
  });
