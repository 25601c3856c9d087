import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { askId } from '../../shared/tables.ts';
import { holdfast } from './command.ts';
import { type FakeDeployment, IDENTITY, JWT, REGION, startFakeDeployment } from './fake-deployment.ts';
import type { FakeRun } from './fake-service.ts';
import { startFakeService } from './fake-service.ts';
import { endedRun, RUN_ID, waitingRun } from './sample-run.ts';
import { type Received, signatureIn, signatureOf } from './signature.ts';

const opened: { close: () => Promise<void> }[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
  for (const name of Object.keys(process.env).filter((one) => /^(AWS|HOLDFAST)_/.test(one))) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'credentials'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const one of opened.splice(0)) await one.close();
  rmSync(folder, { recursive: true });
});

/** Starts a deployment, and says in the environment where AWS is and who asks. */
async function deploy(runs: FakeRun[], authorizer: 'iam' | 'jwt' = 'iam'): Promise<FakeDeployment> {
  const deployment = await startFakeDeployment(runs, authorizer);
  opened.push(deployment);
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', deployment.cloudFormationUrl);
  vi.stubEnv('AWS_REGION', REGION);
  identify();
  return deployment;
}

function identify(): void {
  vi.stubEnv('AWS_ACCESS_KEY_ID', IDENTITY.keyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', IDENTITY.secret);
  vi.stubEnv('AWS_SESSION_TOKEN', IDENTITY.token);
  vi.stubEnv('AWS_ACCOUNT_ID', '123456789012');
}

/** A profile with a login whose token has expired. */
function loginOfYesterday(): void {
  const start = 'https://example.test/start';
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  vi.stubEnv('AWS_PROFILE', 'sso');
  vi.stubEnv('HOME', folder);
  const role = `sso_start_url=${start}\nsso_region=${REGION}\nsso_account_id=123456789012\nsso_role_name=Desk\n`;
  writeFileSync(join(folder, 'config'), `[profile sso]\n${role}`);
  const cache = join(folder, '.aws', 'sso', 'cache');
  mkdirSync(cache, { recursive: true });
  const name = createHash('sha1').update(start).digest('hex');
  const expiresAt = new Date(Date.now() - 86_400_000).toISOString();
  writeFileSync(join(cache, `${name}.json`), JSON.stringify({ startUrl: start, region: REGION, accessToken: 'old', expiresAt }));
}

const onStack = (...args: string[]) => holdfast('', [...args, '--stack', 'holdfast']);
const faults = ({ seen }: FakeDeployment) => seen.map(({ fault }) => fault);

describe('a deployment named by its stack', () => {
  const ask = askId(RUN_ID, 3);

  it.each<[code: number, runs: () => FakeRun, args: string[]]>([
    [0, endedRun, ['agents']],
    [0, endedRun, ['ls', '--agent', "a b+c/(ü)*!'&=%20~", '--limit', '5']],
    [0, endedRun, ['show', RUN_ID]],
    [0, endedRun, ['show', '00aa']],
    [0, endedRun, ['watch', RUN_ID]],
    [4, waitingRun, ['watch', RUN_ID]],
    [0, endedRun, ['run', 'desk', 'Straße, 東京 and a newline\n']],
    [0, endedRun, ['run', 'desk', '--input', '{"order":"A-1"}', '--no-watch', '--key', 'a  key']],
    [0, waitingRun, ['asks']],
    [0, waitingRun, ['answer', ask, '--yes', '--by', 'kim']],
    [0, waitingRun, ['notify', RUN_ID, '--to', 'webhook:ops']],
    [0, waitingRun, ['message', RUN_ID, 'please', 'hurry']],
    [0, endedRun, ['cancel', RUN_ID]],
    [0, endedRun, ['resume', RUN_ID]],
  ])('ends with %i and every request is signed: %o %j', async (code, run, args) => {
    const deployment = await deploy([run()]);
    const ran = await onStack(...args);
    expect([ran.code, ran.err]).toEqual([code, '']);
    expect(deployment.service.requests.length).toBeGreaterThan(0);
    expect(new Set(faults(deployment))).toEqual(new Set([undefined]));
  });

  it('takes back a link, signed too', async () => {
    const deployment = await deploy([waitingRun()]);
    expect((await onStack('revoke', ask, '--to', 'ada@example.test')).code).toBe(0);
    expect([faults(deployment), deployment.service.requests.at(-1)?.path]).toEqual([[undefined], `/asks/${ask}/notices/revoke`]);
  });

  it('is found by HOLDFAST_STACK too, in the region of the profile, with its credentials', async () => {
    const deployment = await deploy([endedRun()]);
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_REGION']) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_PROFILE', 'desk');
    writeFileSync(join(folder, 'config'), `[profile desk]\nregion = ${REGION}\n`);
    const { keyId, secret, token } = IDENTITY;
    writeFileSync(
      join(folder, 'credentials'),
      `[desk]\naws_access_key_id=${keyId}\naws_secret_access_key=${secret}\naws_session_token=${token}\n`,
    );
    expect(await holdfast('', ['ls'], { env: { HOLDFAST_STACK: 'holdfast' } })).toMatchObject({ code: 0, err: '' });
    expect(faults(deployment)).toEqual([undefined]);
  });

  it('comes before HOLDFAST_URL when it is an option, and after it when it is a variable; --region comes before AWS_REGION', async () => {
    await deploy([endedRun()]);
    vi.stubEnv('AWS_REGION', 'us-east-1');
    const env = { HOLDFAST_URL: 'http://127.0.0.1:9', HOLDFAST_STACK: 'holdfast' };
    expect((await holdfast('', ['ls', '--stack', 'holdfast', '--region', REGION], { env })).code).toBe(0);
    expect((await holdfast('', ['ls', '--region', REGION], { env })).code).toBe(3);
    expect((await holdfast('', ['ls', '--stack', 'holdfast', '--url', 'http://127.0.0.1:9'])).code).toBe(2);
  });
});

describe('the commands of the page on deploying', () => {
  const page = readFileSync(new URL('../../docs/deploy.md', import.meta.url), 'utf8');
  const commands = [...page.matchAll(/^npx holdfast (.*)$/gm)].map(([, words]) => words as string);

  it.each(commands)('npx holdfast %s', async (words) => {
    const run = waitingRun();
    const deployment = await deploy([{ ...run, summary: { ...run.summary, agent: 'refund-desk' } }]);
    const said = words.replace('<run>', RUN_ID).replace('<ask>', askId(RUN_ID, 3));
    const args = [...said.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? (match[2] as string));
    const { code, err } = await holdfast('', args, { env: { HOLDFAST_STACK: 'holdfast' } });
    expect([code, err]).toEqual([/^(run|watch)/.test(words) ? 4 : 0, '']);
    expect(new Set(faults(deployment))).toEqual(new Set([undefined]));
  });

  it('are those of a first run', () => {
    expect(commands.map((words) => words.split(' ')[0])).toEqual(['run', 'asks', 'answer', 'watch']);
  });
});

describe('an address that is signed for', () => {
  it('is any with --sign, with the path of its stage', async () => {
    const deployment = await deploy([endedRun()]);
    expect((await holdfast(deployment.apiUrl, ['ls', '--sign'])).code).toBe(0);
    expect((await holdfast(`${deployment.apiUrl}/stage%20one/`, ['ls', '--sign'])).code).toBe(1);
    expect(deployment.seen.map(({ received, fault }) => [received.target, fault])).toEqual([
      ['/runs?limit=20', undefined],
      ['/stage%20one/runs?limit=20', undefined],
    ]);
  });

  it.each([
    ['https://a1b2.execute-api.us-west-2.amazonaws.com', 'us-west-2', 'arn:aws:execute-api:us-west-2:123456789012:a1b2'],
    ['https://a1b2.execute-api.cn-north-1.amazonaws.com.cn', 'cn-north-1', 'arn:aws-cn:execute-api:cn-north-1:123456789012:a1b2'],
    ['https://a1b2.execute-api.us-gov-west-1.api.aws', 'us-gov-west-1', 'arn:aws-us-gov:execute-api:us-gov-west-1:123456789012:a1b2'],
  ])('is %s, for its own region, and a refusal names the action and the resource', async (url, region, arn) => {
    identify();
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    const sent: Received[] = [];
    vi.stubGlobal('fetch', async (to: URL, { method = '', headers, redirect }: RequestInit) => {
      const given = { ...(headers as Record<string, string>), host: to.host, redirect: String(redirect) };
      sent.push({ method, target: to.pathname + to.search, headers: given, body: '' });
      return new Response('{"message":"Forbidden"}', { status: 403 });
    });
    const { code, err } = await holdfast(url, ['show', RUN_ID]);
    const request = sent[0] as Received;
    expect(signatureIn(request)).toMatchObject({ region, service: 'execute-api', signature: signatureOf(request, IDENTITY.secret) });
    expect([code, request.headers.redirect]).toEqual([1, 'error']);
    expect(err).toContain(
      `Cannot GET /runs/${RUN_ID}/records: the service answered 403 "Forbidden". The AWS credentials need the action execute-api:Invoke on ${arn}/*/GET/runs/${RUN_ID}/records, or on ${arn}/*`,
    );
  });

  it('is none that only looks like one of API Gateway', async () => {
    identify();
    vi.stubEnv('AWS_REGION', REGION);
    const sent: string[] = [];
    vi.stubGlobal('fetch', async (_to: URL, { headers }: RequestInit) => {
      sent.push(...Object.keys(headers ?? {}));
      return new Response('{"message":"Forbidden"}', { status: 403 });
    });
    for (const host of ['a.execute-api.us-west-2.amazonaws.com.evil.test', 'execute-api.us-west-2.amazonaws.com'])
      expect((await holdfast(`https://${host}`, ['ls'])).err).toContain('--sign');
    expect(sent).toEqual(['accept', 'accept']);
  });
});

describe('what is wrong is said with what to do', () => {
  const without = (...names: string[]) => names.map((name) => vi.stubEnv(name, undefined));

  it.each<[what: string, wrong: (deployment: FakeDeployment) => unknown, code: number, said: string[]]>([
    [
      'no credentials',
      () => without('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'),
      1,
      ['Cannot get AWS credentials: there are none here', 'aws sso login', 'AWS_PROFILE'],
    ],
    ['no region', () => without('AWS_REGION'), 1, ['Cannot tell the AWS region', '--region']],
    [
      'a profile that is none',
      () => {
        without('AWS_ACCESS_KEY_ID');
        vi.stubEnv('AWS_PROFILE', 'nobody');
      },
      1,
      ['there are none here for profile "nobody"', 'AWS_PROFILE'],
    ],
    ['a login that has ended', loginOfYesterday, 1, ['The SSO session associated with this profile has expired', 'aws sso login']],
    [
      'no such stack',
      ({ stacks }) => stacks.clear(),
      1,
      [`Cannot find stack "holdfast" in ${REGION}`, 'no stack of that name', '--stack', '--region'],
    ],
    ['a stack without the output', ({ stacks }) => stacks.set('holdfast', { Url: 'x' }), 1, ['no output ApiUrl', 'CREATE_COMPLETE']],
    ['an output that is no address', ({ stacks }) => stacks.set('holdfast', { ApiUrl: 'ftp://x' }), 1, ['Cannot use this address']],
    [
      'no right to see stacks',
      ({ refusal }) => Object.assign(refusal, { cloudformation: ['AccessDenied', 'User is not authorized'] }),
      1,
      [`cloudformation:DescribeStacks on arn:aws:cloudformation:${REGION}:123456789012:stack/holdfast/*`, '--url'],
    ],
    [
      'credentials that CloudFormation finds expired',
      ({ refusal }) =>
        Object.assign(refusal, { cloudformation: ['ExpiredToken', 'The security token included in the request is expired'] }),
      1,
      ['Cannot find stack', 'The AWS credentials have expired', 'aws sso login'],
    ],
    [
      'credentials that CloudFormation does not know',
      ({ refusal }) =>
        Object.assign(refusal, { cloudformation: ['InvalidClientTokenId', 'The security token included in the request is invalid.'] }),
      1,
      ['AWS does not know these credentials', 'AWS_PROFILE'],
    ],
    [
      'credentials that the API finds expired',
      ({ refusal }) => Object.assign(refusal, { api: 'The security token included in the request is expired' }),
      1,
      ['answered 403', 'The AWS credentials have expired', 'aws sso login'],
    ],
    [
      'credentials that say themselves that they have expired',
      ({ refusal }) => {
        vi.stubEnv('AWS_CREDENTIAL_EXPIRATION', new Date(Date.now() - 1_000).toISOString());
        Object.assign(refusal, { api: 'Forbidden' });
      },
      1,
      ['The AWS credentials have expired'],
    ],
    [
      'no right to call the API',
      ({ refusal }) => Object.assign(refusal, { api: 'Forbidden' }),
      1,
      ['GET /runs', `execute-api:Invoke on arn:aws:execute-api:${REGION}:123456789012:*/*/GET/runs,`],
    ],
    ['a clock that is behind', ({ clock }) => Object.assign(clock, { aheadMs: 12 * 60_000 }), 1, ['12 min behind', 'set it right']],
    ['a clock that is ahead', ({ clock }) => Object.assign(clock, { aheadMs: -3_600_000 }), 1, ['60 min ahead']],
    [
      'a gateway that is busy',
      ({ refusal }) => Object.assign(refusal, { api: 'Too Many Requests', status: 429 }),
      3,
      ['429 "Too Many Requests"', 'Try again'],
    ],
    [
      'an AWS that is not there',
      () => vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', 'http://127.0.0.1:9'),
      3,
      ['CloudFormation does not answer'],
    ],
  ])('%s', async (_what, wrong, code, said) => {
    const deployment = await deploy([endedRun()]);
    wrong(deployment);
    const ran = await onStack('ls');
    expect([ran.code, ran.err.trim().split('\n')]).toEqual([code, [expect.any(String)]]);
    for (const text of said) expect(ran.err).toContain(text);
    expect(ran.err).not.toContain(IDENTITY.secret);
  });

  it('and a session token that the refusal repeats is not shown', async () => {
    const deployment = await deploy([endedRun()]);
    Object.assign(deployment.refusal, { api: `The canonical string should have been x-amz-security-token:${IDENTITY.token}` });
    const { err } = await onStack('ls');
    expect(err).toContain('x-amz-security-token:[hidden]');
    expect(err).not.toContain(IDENTITY.token);
  });
});

describe('watching a deployment', () => {
  it('goes on when the gateway was busy for a while', async () => {
    const deployment = await deploy([endedRun()]);
    Object.assign(deployment.refusal, { api: 'Service Unavailable', status: 503 });
    const watched = onStack('watch', RUN_ID);
    await expect.poll(() => deployment.seen.length, { timeout: 20_000 }).toBeGreaterThan(1);
    Object.assign(deployment.refusal, { api: undefined });
    expect(await watched).toMatchObject({ code: 0, err: expect.stringContaining('the service is there again') });
  });
});

describe('a bearer token', () => {
  const ranWith = async (deployment: FakeDeployment, token: string) => [
    await holdfast(deployment.apiUrl, ['ls', '--token', token]),
    await holdfast('', ['ls', '--json'], { env: { HOLDFAST_URL: deployment.apiUrl, HOLDFAST_TOKEN: token } }),
    await holdfast('', ['watch', RUN_ID, '--stack', 'holdfast', '--token', token]),
  ];

  it('is sent instead of a signature, and not shown', async () => {
    const deployment = await deploy([endedRun()], 'jwt');
    const all = await ranWith(deployment, JWT);
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(new Set(deployment.seen.map(({ received }) => received.headers.authorization))).toEqual(new Set([`Bearer ${JWT}`]));
    expect(deployment.seen.some(({ received }) => received.headers['x-amz-date'])).toBe(false);
    expect(JSON.stringify(all)).not.toContain(JWT);
  });

  it('that is refused is not shown either, though the refusal repeats it; the reason is', async () => {
    const deployment = await deploy([endedRun()], 'jwt');
    for (const { code, out, err } of await ranWith(deployment, 'an.expired.token')) {
      expect([code, err]).toEqual([1, expect.stringContaining('401 "Unauthorized". The token does not let this request in')]);
      expect(err).toContain('(the token [hidden] has expired): give another with --token or HOLDFAST_TOKEN');
      expect(out + err).not.toContain('an.expired.token');
    }
    Object.assign(deployment.refusal, { api: 'No: Bearer an.expired.token' });
    expect(JSON.stringify(await ranWith(deployment, 'an.expired.token'))).not.toContain('an.expired.token');
  });

  it.each([['Bearer s3cret'], ['s3cret\n'], ['s3crét'], [' ']])('that cannot be sent is refused and not shown: %j', async (token) => {
    const { code, out, err } = await holdfast('http://127.0.0.1:9', ['ls', '--json', '--token', token]);
    expect([code, err]).toEqual([2, expect.stringContaining('Cannot use this token')]);
    expect(out + err).not.toContain('s3cr');
  });

  it('is not sent where it could be read on the way, nor to a service that only a file names', async () => {
    const sent: unknown[] = [];
    vi.stubGlobal('fetch', async (_to: URL, { headers }: RequestInit) => {
      sent.push(headers);
      return new Response('{"runs":[]}');
    });
    expect((await holdfast('http://example.test', ['ls', '--token', JWT])).err).toContain('use an https address');
    expect(sent).toEqual([]);
    mkdirSync(join(folder, '.holdfast', 'data'), { recursive: true });
    writeFileSync(join(folder, '.holdfast', 'data', 'host.json'), '{"url":"https://example.test"}');
    expect((await holdfast('', ['ls'], { cwd: folder, env: { HOLDFAST_TOKEN: JWT } })).code).toBe(0);
    expect(sent).toEqual([{ accept: 'application/json' }]);
    for (const args of [['--token', JWT], ['--sign']]) {
      const { code, err } = await holdfast('', ['ls', ...args], { cwd: folder, env: {} });
      expect([code, err]).toEqual([2, expect.stringContaining('say for which service, with --url or --stack')]);
    }
    expect(sent).toHaveLength(1);
  });

  it('and a signature are not sent together', async () => {
    expect((await holdfast('http://127.0.0.1:9', ['ls', '--sign', '--token', JWT])).code).toBe(2);
    const deployment = await deploy([endedRun()]);
    const env = { HOLDFAST_URL: deployment.apiUrl, HOLDFAST_TOKEN: JWT };
    expect((await holdfast('', ['ls', '--sign'], { env })).code).toBe(0);
  });
});

describe('what talks to AWS', () => {
  const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
  const TELL =
    'import{registerHooks}from"node:module";registerHooks({resolve(s,c,next){const r=next(s,c);process.stderr.write(r.url+"\\n");return r}})';
  const packagesOf = (url: string, ...args: string[]): Promise<string[]> =>
    new Promise((resolve) => {
      const env = { ...process.env, HOLDFAST_URL: url };
      const given = ['--import', `data:text/javascript,${encodeURIComponent(TELL)}`, MAIN, ...args];
      execFile(process.execPath, given, { env, cwd: folder, maxBuffer: 1e8 }, (_error, _out, err) =>
        resolve([
          ...new Set([...err.matchAll(/node_modules\/(@aws-sdk\/[^/]+|@smithy\/[^/]+|commander)\//g)].map(([, name]) => name as string)),
        ]),
      );
    });

  it('is loaded only when it is needed', async () => {
    const service = await startFakeService([endedRun()]);
    opened.push(service);
    expect(await packagesOf(service.url, '--help')).toEqual(['commander']);
    expect(await packagesOf(service.url, 'ls')).toEqual(['commander']);
    const deployment = await deploy([endedRun()]);
    const signing = await packagesOf(deployment.apiUrl, 'ls', '--sign');
    expect(signing).toContain('@smithy/signature-v4');
    expect(signing).not.toContain('@aws-sdk/client-cloudformation');
  });
});
