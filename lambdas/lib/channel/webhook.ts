import { createHmac } from 'node:crypto';
import type { Webhooks } from '../../../shared/recipient.ts';
import { webhookKey } from '../secret.ts';
import { type Channel, type Letter, SEND_MS } from './letter.ts';

/** Posts JSON to a webhook of the agent, signed as Standard Webhooks are. Throws without its address, which may be a secret. */
export const webhook =
  (name: string, webhooks: Webhooks): Channel =>
  async (letter) => {
    const address = Object.hasOwn(webhooks, name) ? webhooks[name] : undefined;
    if (address === undefined)
      throw new Error(`Cannot post to "${name}": the agent has no such webhook any more; declare it in asks.webhooks`);
    const body = bodyOf(letter);
    const headers = { 'content-type': 'application/json', ...(await signatureOf(letter.id, body)) };
    const response = await post(name, address, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(SEND_MS) });
    await response.body?.cancel();
    if (!response.ok)
      throw new Error(
        `Cannot post to webhook "${name}": it answered ${response.status}${response.status < 400 ? ', and another address is not followed' : ''}`,
      );
  };

/** Whatever the client says of a failure may hold the address: only its code is kept. */
async function post(name: string, address: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (error) {
    const { name: kind, cause } = error as Error;
    const code = (cause as { code?: unknown } | undefined)?.code;
    const why =
      kind === 'TimeoutError' ? `no answer within ${SEND_MS / 1000} s` : typeof code === 'string' ? code : 'the connection failed';
    throw new Error(`Cannot post to webhook "${name}": ${why}`);
  }
}

/** What Slack shows is `text`; the rest is for programs. */
const bodyOf = ({ text, ask, link }: Letter): string =>
  JSON.stringify({ text: plain(text), mrkdwn: false, ask, ...(link === undefined ? {} : { link }) });

/** Slack makes links and mentions of what stands in angle brackets. */
const plain = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The headers of https://github.com/standard-webhooks/standard-webhooks. */
async function signatureOf(id: string, body: string): Promise<Record<string, string>> {
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', await webhookKey())
    .update(`${id}.${seconds}.${body}`)
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}
