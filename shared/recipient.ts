import * as z from 'zod';

/** Whom an ask is sent to: a mail address, or `webhook:<name>`. The address behind the name may be a secret, and is shown nowhere. */

/** Addresses by the names of an agent's webhooks. */
export type Webhooks = Readonly<Record<string, string>>;

const PREFIX = 'webhook:';
const NAME = /^[a-zA-Z0-9_-]{1,40}$/;

/** The most recipients that an ask may have. */
export const MAX_RECIPIENTS = 100;

/** The name of the webhook that a recipient is, or undefined for a mail address. */
export const webhookOf = (recipient: string): string | undefined =>
  recipient.startsWith(PREFIX) ? recipient.slice(PREFIX.length) : undefined;

/** What has the form of a recipient; whether its webhook is declared is another question. */
export const recipient = z.union([z.email(), z.string().refine((text) => NAME.test(webhookOf(text) ?? ''))]);

/** What cannot be seen in a name tells nobody apart. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** One spelling for all ways in which a name or mail address of somebody is written: by case, width, spaces or unseen characters. */
const personOf = (name: string): string =>
  webhookOf(name) === undefined ? name.normalize('NFKC').replace(UNSEEN, '').replace(/\s+/g, ' ').trim().toLowerCase() : name;

/** Whether two names are of one person, or one webhook. */
export const isSamePerson = (one: string, other: string | undefined): boolean => other !== undefined && personOf(one) === personOf(other);

/** Whether somebody is among these, however each is written. */
export const isAmong = (people: readonly string[], name: string): boolean => people.some((each) => isSamePerson(each, name));

/** Lists everybody once, as they are written first. */
export const eachOnce = (people: readonly string[]): string[] => [
  ...people
    .reduce((known, each) => (known.has(personOf(each)) ? known : known.set(personOf(each), each)), new Map<string, string>())
    .values(),
];

/** Says what is wrong with a recipient, or returns undefined. */
export function recipientFault(given: string, webhooks: Webhooks = {}): string | undefined {
  const name = webhookOf(given);
  if (name !== undefined)
    return Object.hasOwn(webhooks, name) ? undefined : `"${given}" names no webhook of the agent: declare it in asks.webhooks`;
  return recipient.safeParse(given).success ? undefined : `"${given}" is no mail address`;
}

/** Says what is wrong with the webhooks of an agent, without their addresses, or returns undefined. */
export function webhooksFault(webhooks: Webhooks): string | undefined {
  const [name] = Object.keys(webhooks).filter((each) => !NAME.test(each));
  if (name !== undefined) return `"${name}" must be 1 to 40 letters, digits, "_" or "-"`;
  const [wrong] = Object.entries(webhooks).filter(([, address]) => !isSafe(address));
  return wrong && `the address of "${wrong[0]}" must be an https one without user and password (http only on this machine)`;
}

function isSafe(address: unknown): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  return username === '' && password === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)));
}

/** Tells whether a host is this machine, as a URL names it. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
