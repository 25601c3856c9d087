import { type Webhooks, webhookOf } from '../../shared/recipient.ts';
import type { Channel } from './channel/letter.ts';
import { ses } from './channel/ses.ts';
import { smtp } from './channel/smtp.ts';
import { webhook } from './channel/webhook.ts';
import { settings } from './settings.ts';

/** The channel that leads to a recipient: its own form says which. `webhooks` are those of the agent. */
export function channelTo(recipient: string, webhooks: Webhooks): Channel {
  const name = webhookOf(recipient);
  if (name !== undefined) return webhook(name, webhooks);
  return settings().smtpUrl === undefined ? ses : smtp;
}
