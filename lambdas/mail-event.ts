import * as z from 'zod';
import { parseAskId } from '../shared/tables.ts';
import { readRecord } from './lib/log-store.ts';
import { measure } from './lib/metrics.ts';
import { noteReturned, readNotices } from './lib/notice-store.ts';
import { noteReach } from './lib/reach.ts';

const mail = z.object({ tags: z.record(z.string(), z.array(z.string())) });

/**
 * What SES says of a mail that came back, as EventBridge brings it. Its events are those of
 * https://docs.aws.amazon.com/ses/latest/dg/monitoring-eventbridge.html ("Email Bounced", "Email Complaint Received" and
 * "Email Rejected"), and `detail` is the record of
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html.
 */
const event = z.object({
  detail: z.discriminatedUnion('eventType', [
    z.object({
      eventType: z.literal('Bounce'),
      mail,
      bounce: z.object({
        bounceType: z.string(),
        bounceSubType: z.string().optional(),
        bouncedRecipients: z.array(z.object({ diagnosticCode: z.string().optional() })).default([]),
      }),
    }),
    z.object({ eventType: z.literal('Complaint'), mail, complaint: z.object({ complaintFeedbackType: z.string().nullish() }) }),
    z.object({ eventType: z.literal('Reject'), mail, reject: z.object({ reason: z.string() }) }),
  ]),
});
type Detail = z.infer<typeof event>['detail'];

/** Notes on its notice that a mail came back; when nobody else can be reached, the run's reason says so. */
export async function handler(input: unknown): Promise<void> {
  const { detail } = event.parse(input);
  const { ask: [id = ''] = [], place: [place = ''] = [] } = detail.mail.tags;
  const at = parseAskId(id);
  // A mail of somebody else's that went out with our configuration set.
  if (!at || !/^\d{1,3}$/.test(place)) return;
  const noted = await noteReturned({ ...at, place: Number(place) }, wordsOf(detail).slice(0, 500).toWellFormed());
  const ask = noted && (await readRecord(at.runId, at.seq));
  if (noted) measure({ LettersReturned: 1 }, { runId: at.runId, message: `A letter about ask ${id} came back` });
  if (ask?.type === 'ask') await noteReach(at.runId, ask, await readNotices(at.runId, at.seq));
}

function wordsOf(detail: Detail): string {
  switch (detail.eventType) {
    case 'Bounce': {
      const { bounceType, bounceSubType, bouncedRecipients } = detail.bounce;
      const said = bouncedRecipients.find(({ diagnosticCode }) => diagnosticCode !== undefined)?.diagnosticCode;
      return `bounced: ${bounceType}${bounceSubType ? `, ${bounceSubType}` : ''}${said === undefined ? '' : `: ${said}`}`;
    }
    case 'Complaint':
      return `complaint: the recipient reported the mail${detail.complaint.complaintFeedbackType ? ` as ${detail.complaint.complaintFeedbackType}` : ''}`;
    case 'Reject':
      return `rejected: ${detail.reject.reason}`;
  }
}
