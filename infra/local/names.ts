/** The names this machine gives itself where AWS has a Region and an account. */
export const REGION = process.env.AWS_REGION ?? 'us-east-1';
export const ACCOUNT = '000000000000';
/** The services on this machine check no signature, but the SDK wants something to sign with. */
export const DUMMY_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The tables' names: those of their constructs. */
export const TABLES = { runs: 'Runs', idempotency: 'Idempotency' } as const;

/** The bucket of large bodies. */
export const BUCKET = 'blobs';

/** The state machine's ARN on this machine. */
export const MACHINE_ARN = `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:Holdfast`;
/** The ARN of a version of it. */
export const versionArn = (version: number) => `${MACHINE_ARN}:${version}`;
/** The ARN of an execution of it. */
export const executionArn = (name: string) => `${MACHINE_ARN.replace(':stateMachine:', ':execution:')}:${name}`;

/** The secret that signs links. */
export const LINK_KEY = { Name: 'LinkKey', ARN: `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:LinkKey-Local0` };
/** The sender of mails unless the environment names one: they go to the outbox. */
export const MAIL_FROM = 'holdfast@localhost';
