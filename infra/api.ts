import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  type HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type FunctionName, ROUTES } from '../shared/functions.ts';
import { accept } from './accepted.ts';
import { logGroup } from './log-group.ts';
import { prefixOf } from './names.ts';
import type { Settings } from './settings.ts';

/** Where mailed links lead, and where results from outside are posted: what lets a caller in is the secret of the address. */
const PUBLIC_PATHS: readonly string[] = ['/a/{id}', '/c/{id}'];

/** What is logged of a request. Paths name runs and queries carry the secrets of links: neither is here. */
const LOGGED = {
  requestId: '$context.requestId',
  at: '$context.requestTime',
  route: '$context.routeKey',
  status: '$context.status',
  ms: '$context.responseLatency',
  functionMs: '$context.integrationLatency',
  bytes: '$context.responseLength',
  ip: '$context.identity.sourceIp',
  error: '$context.error.message',
  functionError: '$context.integrationErrorMessage',
};
const CALLERS = { iam: { caller: '$context.identity.userArn' }, jwt: { caller: '$context.authorizer.claims.sub' } };

/** The HTTP API. But for the public paths only callers with AWS credentials for it, or with a token, are let in. */
export class Api extends Construct {
  /** The base of its addresses, without a slash at its end. */
  readonly url: string;
  readonly httpApi: HttpApi;

  constructor(scope: Construct, settings: Settings) {
    super(scope, 'Api');
    const { stage, jwt, throttling } = settings;
    this.httpApi = new HttpApi(this, 'HttpApi', {
      apiName: prefixOf(stage),
      defaultAuthorizer: authorizerOf(settings),
      createDefaultStage: false,
    });
    // Log groups of this prefix need no entry in the account's policy of log deliveries, which is of limited size.
    const log = logGroup(this, 'Log', `/aws/vendedlogs/${prefixOf(stage)}/api`, settings);
    new HttpStage(this, 'Stage', {
      httpApi: this.httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttling.ratePerSecond, burstLimit: throttling.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(log),
        format: AccessLogFormat.custom(JSON.stringify({ ...LOGGED, ...CALLERS[jwt ? 'jwt' : 'iam'] })),
      },
    });
    this.url = this.httpApi.apiEndpoint;
  }

  /** Adds the routes. They come after the functions, which are told the API's address: so neither needs the other. */
  answerBy(functions: Record<FunctionName, IFunction>): void {
    for (const [route, name] of Object.entries(ROUTES)) {
      const [method, path] = route.split(' ') as [HttpMethod, string];
      const integration = new HttpLambdaIntegration(name, functions[name]);
      const open = PUBLIC_PATHS.includes(path);
      const routes = this.httpApi.addRoutes({
        methods: [method],
        path,
        integration,
        ...(open ? { authorizer: new HttpNoneAuthorizer() } : {}),
      });
      if (open)
        for (const made of routes)
          accept(made, { 'AwsSolutions-APIG4': 'The secret of the mailed link lets in, and the function checks it' });
    }
  }
}

const authorizerOf = ({ jwt }: Settings): IHttpRouteAuthorizer =>
  jwt ? new HttpJwtAuthorizer('Jwt', jwt.issuer, { jwtAudience: jwt.audience }) : new HttpIamAuthorizer();
