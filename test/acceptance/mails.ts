import type { SentMail } from '../runs/drive.ts';
import type { Stage } from './stage.ts';

/** A mail that was sent. */
export interface Mail {
  readonly to: readonly string[];
  readonly text: string;
}

/** The mails that speak of a run, in order. */
export async function mailsOf({ simulator }: Stage, runId: string): Promise<Mail[]> {
  return (await simulator.get<Mail[]>('mail')).filter(({ text }) => text.includes(runId));
}

/** All mails, one for each recipient. */
export async function sentMails({ simulator }: Stage): Promise<SentMail[]> {
  return (await simulator.get<Mail[]>('mail')).flatMap(({ to, text }) => to.map((each) => ({ to: each, text })));
}

/** The link of a mail. */
export const linkIn = ({ text }: Mail): URL => new URL(/https?:\/\/\S+/.exec(text)?.[0] ?? '');

/** A mail may be sent twice when nobody heard that it was sent; a second link to the same ask would be one too many. */
export async function mailFaults(stage: Stage, runId: string): Promise<string[]> {
  const mails = await mailsOf(stage, runId);
  const links = Map.groupBy(mails, ({ to, text }) => `${to} ${linkIn({ to, text }).pathname}`);
  return [...links].flatMap(([what, all]) => (new Set(all.map((mail) => linkIn(mail).href)).size > 1 ? [`${what} has several links`] : []));
}
