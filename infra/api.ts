import { HttpApi, type HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type FunctionName, ROUTES } from '../shared/functions.ts';

/** The HTTP API. Only callers with AWS credentials for it are let in. */
export class Api extends Construct {
  readonly url: string;

  constructor(scope: Construct, functions: Record<FunctionName, IFunction>) {
    super(scope, 'Api');
    const api = new HttpApi(this, 'HttpApi', { defaultAuthorizer: new HttpIamAuthorizer() });
    for (const [route, name] of Object.entries(ROUTES)) {
      const [method, path] = route.split(' ') as [HttpMethod, string];
      api.addRoutes({ methods: [method], path, integration: new HttpLambdaIntegration(name, functions[name]) });
    }
    this.url = api.apiEndpoint;
  }
}
