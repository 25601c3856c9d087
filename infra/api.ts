import { type CfnStage, HttpApi, type HttpMethod, HttpNoneAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type FunctionName, ROUTES } from '../shared/functions.ts';

/** Where mailed links lead, and where results from outside are posted: what lets a caller in is the secret of the address. */
const PUBLIC_PATHS: readonly string[] = ['/a/{id}', '/c/{id}'];
/** Requests to a route a second, and at once: pages that everybody may ask for must not use up the account's functions. */
const THROTTLE = { throttlingRateLimit: 100, throttlingBurstLimit: 200 };

/** The HTTP API. But for the public paths only callers with AWS credentials for it are let in. */
export class Api extends Construct {
  /** The base of its addresses, without a slash at its end. */
  readonly url: string;
  private readonly httpApi: HttpApi;

  constructor(scope: Construct) {
    super(scope, 'Api');
    this.httpApi = new HttpApi(this, 'HttpApi', { defaultAuthorizer: new HttpIamAuthorizer() });
    const stage = this.httpApi.defaultStage?.node.defaultChild as CfnStage;
    stage.defaultRouteSettings = THROTTLE;
    this.url = this.httpApi.apiEndpoint;
  }

  /** Adds the routes. They come after the functions, which are told the API's address: so neither needs the other. */
  answerBy(functions: Record<FunctionName, IFunction>): void {
    for (const [route, name] of Object.entries(ROUTES)) {
      const [method, path] = route.split(' ') as [HttpMethod, string];
      const integration = new HttpLambdaIntegration(name, functions[name]);
      const open = PUBLIC_PATHS.includes(path) ? { authorizer: new HttpNoneAuthorizer() } : {};
      this.httpApi.addRoutes({ methods: [method], path, integration, ...open });
    }
  }
}
