import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IConstruct } from 'constructs';
import * as z from 'zod';
import { DEFAULT_EVENT_LIMIT } from '../shared/environment.ts';

const DAYS = Object.values(RetentionDays).filter((days): days is RetentionDays => typeof days === 'number' && days < 9_999);

const OWN_NAME = 'a name must have capital letters, digits and underscores, and not begin with AWS_ or HOLDFAST_';

/** What a deployment can be told, with what holds when it is not. */
const settings = z.strictObject({
  /** Part of every name: stages stand side by side in one account and Region. */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/, 'it must be 1 to 20 lower-case letters, digits and dashes, with a letter first')
    .default('dev'),
  /** The module that registers agents, instead of `agents/index.ts`. */
  agents: z.string().min(1).optional(),
  /** Without it nobody is written to: asks wait in the API. */
  mail: z
    .strictObject({
      /** The sender. */
      from: z.email(),
      /** The identity that the stack makes in SES; `none` when the address or its domain is verified already. */
      identity: z.enum(['none', 'address', 'domain']).default('none'),
      /** Recipients that are verified by themselves: while the account is in SES's sandbox, sending to them needs a right of its own. */
      sandboxRecipients: z.array(z.email()).default([]),
    })
    .optional(),
  /** Callers of the API show a token of this issuer; without it they sign with AWS credentials. */
  jwt: z
    .strictObject({
      issuer: z.url({ protocol: /^https$/ }),
      audience: z.union([
        z.array(z.string().min(1)).min(1),
        z
          .string()
          .min(1)
          .transform((only) => [only]),
      ]),
    })
    .optional(),
  /** Requests to the API a second, and at once: pages that everybody may ask for must not use up the account's functions. */
  throttling: z.strictObject({ ratePerSecond: z.number().positive().default(100), burst: z.int().positive().default(200) }).prefault({}),
  /** How long logs are kept. */
  logRetentionDays: z.literal(DAYS).default(RetentionDays.THREE_MONTHS),
  /** How long runs are kept after their end, days, where their agent does not say; for good when absent. */
  retentionDays: z.number().positive().optional(),
  /** Events of one execution after which a run goes on in its next segment. */
  eventLimit: z.int().min(20).max(DEFAULT_EVENT_LIMIT).default(DEFAULT_EVENT_LIMIT),
  /** Who is written to by alarms; more can subscribe to their topic. */
  alarmMail: z.email().optional(),
  /** How old an ask may grow until an alarm says so. */
  askAlarmHours: z.number().positive().default(24),
  /** The name or the ARN of a secret with the keys of model providers, a JSON object by the names of their variables. */
  modelKeysSecret: z.string().min(1).optional(),
  /** The name or the ARN of the secret that signs what is sent to webhooks, instead of a key made from that of links. */
  webhookKeySecret: z.string().min(1).optional(),
  /** Models and inference profiles of Bedrock that model steps may ask, by id. */
  bedrockModels: z.array(z.string().regex(/^[\w.:-]+$/, 'it must be the id of a model or of an inference profile')).default([]),
  /** Takes the place of every agent's model in new runs. */
  model: z.string().min(1).optional(),
  /** Variables for agents and their tools, such as the addresses of systems; no secrets, which anybody may read here. */
  variables: z.record(z.string().regex(/^(?!AWS_|HOLDFAST_)[A-Z][A-Z0-9_]*$/, OWN_NAME), z.string()).default({}),
  /** What becomes of tables and keys when the stack is deleted; `destroy` is for trials. */
  removal: z.enum(['retain', 'destroy']).default('retain'),
});
/** The names of all settings, those in a group as `group.name`. */
export const SETTING_NAMES: readonly string[] = Object.entries(settings.shape).flatMap(([name, schema]) => {
  const group = 'unwrap' in schema ? schema.unwrap() : schema;
  return group instanceof z.ZodObject ? Object.keys(group.shape).map((key) => `${name}.${key}`) : [name];
});
export type Settings = z.output<typeof settings>;
/** Settings as they are written: every one optional. */
export type GivenSettings = z.input<typeof settings>;

/** A setting is wrong. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Fills in what is not given. Throws a SettingsError that names each wrong setting. */
export function settingsOf(given: unknown): Settings {
  const parsed = settings.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new SettingsError(`Cannot use these settings of Holdfast: ${[...new Set(parsed.error.issues.map(wrong))].join('; ')}`);
}

function wrong(issue: z.core.$ZodIssue): string {
  const name = issue.path.join('.') || 'holdfast';
  return issue.code === 'unrecognized_keys'
    ? `${[...issue.path, issue.keys[0]].join('.')}: there is no such setting`
    : `${name}: ${issue.message}`;
}

const PREFIX = 'holdfast';

/**
 * Reads the settings from CDK's context: the object `holdfast` of cdk.json, and over it `-c holdfast:<setting>=<value>`,
 * e.g. `-c holdfast:mail.from=desk@example.com`. Throws a SettingsError as `settingsOf` does.
 */
export function readSettings(scope: IConstruct): Settings {
  const context = scope.node.getAllContext() as Record<string, unknown>;
  const given = readValue(context[PREFIX] ?? {});
  const single = Object.entries(context).filter(([key]) => key.startsWith(`${PREFIX}:`));
  const path = (key: string) => key.slice(PREFIX.length + 1).split('.');
  return settingsOf(single.reduce((tree, [key, value]) => put(tree, path(key), readValue(value)), given as Tree));
}

type Tree = { [key: string]: unknown };

/** What `-c` gives is text: numbers and lists are written in it as in JSON. */
function readValue(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/** Puts a value into a tree, at the names on the way to it. */
function put(tree: Tree, [name = '', ...rest]: string[], value: unknown): Tree {
  return { ...tree, [name]: rest.length === 0 ? value : put(tree[name] as Tree, rest, value) };
}
