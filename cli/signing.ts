import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Aws } from './aws.ts';
import { faultOf, partitionOf } from './aws-refusal.ts';
import { apiGatewayOf, type Gate, type Outgoing, type TurnedAway } from './gate.ts';

/** Lets requests in to an API with IAM authorization: by a signature (SigV4) over method, address, headers and body. */
export function createSigner(aws: Aws): Gate {
  const sha256 = Hash.bind(null, 'sha256');
  const signer = new SignatureV4({ service: 'execute-api', region: aws.region, credentials: aws.credentials, sha256 });
  return {
    admit: async (request) => {
      const { headers } = await signer.sign(signable(request), { signingRegion: await regionOf(request, aws) });
      const { host: _host, ...sent } = headers; // It is signed; that it is sent is up to fetch.
      return sent;
    },
    advice: (request, refusal) => advice(aws, request, refusal),
  };
}

const signable = ({ method, url, headers, body }: Outgoing) => ({
  method,
  protocol: url.protocol,
  hostname: url.hostname,
  path: url.pathname,
  query: Object.fromEntries(url.searchParams),
  headers: { ...headers, host: url.host },
  body,
});

const regionOf = async ({ url }: Outgoing, aws: Aws): Promise<string> => apiGatewayOf(url)?.region ?? (await aws.region());

async function advice(aws: Aws, request: Outgoing, { said, headers }: TurnedAway): Promise<string> {
  const { accountId = '*', expiration } = await aws.credentials();
  const error = headers.get('x-amzn-errortype') ?? '';
  const fault = faultOf(`${error} ${said}`, { date: headers.get('date') ?? undefined, expiration });
  if (fault) return fault;
  const region = await regionOf(request, aws);
  const api = `arn:${partitionOf(region)}:execute-api:${region}:${accountId}:${apiGatewayOf(request.url)?.id ?? '*'}`;
  return `The AWS credentials need the action execute-api:Invoke on ${api}/*/${request.method}${request.path}, or on ${api}/* for every command.`;
}
