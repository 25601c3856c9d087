import { OUTBOX_HEADERS } from '../../console/headers.ts';
import { outboxPage } from '../../console/outbox-page.ts';
import type { OwnPages } from './http-api.ts';
import type { Outbox } from './outbox.ts';

/** The pages that show the outbox: the latest mails, and a single one. */
export const outboxPages =
  (outbox: Outbox): OwnPages =>
  async (path) => {
    const [, topic, id, ...rest] = path.split('/');
    if (topic !== 'outbox' || rest.length > 0) return undefined;
    const mail = id === undefined ? undefined : await outbox.find(id);
    if (id !== undefined && !mail) return undefined;
    return { html: outboxPage({ mails: mail ? [mail] : await outbox.latest() }), headers: OUTBOX_HEADERS };
  };
