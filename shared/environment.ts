import * as z from 'zod';

/** The variables a handler may read, by the name it uses for them. */
export const VARIABLES = {
  stage: 'HOLDFAST_STAGE',
  table: 'HOLDFAST_TABLE',
  idempotencyTable: 'HOLDFAST_IDEMPOTENCY_TABLE',
  bucket: 'HOLDFAST_BUCKET',
  stateMachineArn: 'HOLDFAST_STATE_MACHINE_ARN',
  eventLimit: 'HOLDFAST_EVENT_LIMIT',
  model: 'HOLDFAST_MODEL',
  modelKeys: 'HOLDFAST_MODEL_KEYS',
  publicUrl: 'HOLDFAST_PUBLIC_URL',
  linkKey: 'HOLDFAST_LINK_KEY',
  mailFrom: 'HOLDFAST_MAIL_FROM',
  mailConfiguration: 'HOLDFAST_MAIL_CONFIGURATION',
  smtpUrl: 'HOLDFAST_SMTP_URL',
  webhookKey: 'HOLDFAST_WEBHOOK_KEY',
  retentionDays: 'HOLDFAST_RETENTION_DAYS',
} as const;

/** Events of one execution's history after which a run goes on in its next segment; the hard limit is 25,000. */
export const DEFAULT_EVENT_LIMIT = 18_000;

const schema = z.object({
  /** Of several deployments in one account. */
  stage: z.string().min(1).default('local'),
  table: z.string().min(1),
  idempotencyTable: z.string().min(1),
  /** Of the blob store; only functions that read or write bodies have it. */
  bucket: z.string().min(1).optional(),
  stateMachineArn: z.string().min(1),
  eventLimit: z.coerce.number().int().min(20).default(DEFAULT_EVENT_LIMIT),
  /** Takes the place of every agent's model in new runs. */
  model: z.string().min(1).optional(),
  /** The ARN or the name of the secret with the keys of model providers; without it they are variables themselves. */
  modelKeys: z.string().min(1).optional(),
  /** The base of links to pages, without a slash at its end. */
  publicUrl: z.url().regex(/[^/]$/, 'it must not end with a slash'),
  /** The ARN or the name of the secret that signs links. */
  linkKey: z.string().min(1),
  /** The sender of mails; without it none is sent. */
  mailFrom: z.string().min(1).optional(),
  /** The configuration set of SES that mails are sent with. */
  mailConfiguration: z.string().min(1).optional(),
  /** The server that takes the mails, instead of SES: `smtp://user:password@host:587`, or `smtps://…`. */
  smtpUrl: z.url({ protocol: /^smtps?$/ }).optional(),
  /** The ARN or the name of the secret that signs what is sent to webhooks; without it the key is made from the link key. */
  webhookKey: z.string().min(1).optional(),
  /** How long runs of agents that do not say so themselves are kept after their end, days; for good without it. */
  retentionDays: z.coerce.number().positive().optional(),
});
export type Environment = z.infer<typeof schema>;

/** Reads the handler's settings. Throws an Error that names each missing or wrong variable. */
export function readEnvironment(variables: Record<string, string | undefined>): Environment {
  const found = Object.fromEntries(Object.entries(VARIABLES).map(([key, name]) => [key, variables[name] || undefined]));
  const parsed = schema.safeParse(found);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => `${VARIABLES[issue.path[0] as keyof typeof VARIABLES]}: ${issue.message}`);
  throw new Error(`Cannot read the settings of this function: ${wrong.join('; ')}`);
}
