import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Notice } from '../../../lambdas/lib/notice-store.ts';
import type { Asked } from '../../../lambdas/lib/notify.ts';
import type { Ask } from '../../../shared/record.ts';
import { type Letters, openLetters } from '../../support/letters.ts';
import { asking, calling, guarded, logOf, RUN_ID, task } from '../../support/log-builder.ts';
import { aMeta } from '../../support/meta.ts';

let letters: Letters;
let notify: typeof import('../../../lambdas/lib/notify.ts')['notify'];
let openLink: typeof import('../../../lambdas/lib/links.ts')['openLink'];
let readNotices: typeof import('../../../lambdas/lib/notice-store.ts')['readNotices'];
beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  letters = await openLetters();
  ({ notify } = await import('../../../lambdas/lib/notify.ts'));
  ({ openLink } = await import('../../../lambdas/lib/links.ts'));
  ({ readNotices } = await import('../../../lambdas/lib/notice-store.ts'));
});
afterAll(() => letters?.close());
afterEach(() => {
  vi.useRealTimers();
  letters.takes = true;
});

/** An ask of a run of its own, sent to these. */
let runs = 0;
function askOf(...approvers: string[]): Asked {
  const log = logOf(task(), calling(guarded()), asking({}));
  const meta = aMeta({ runId: `${RUN_ID.slice(0, -4)}${String(++runs).padStart(4, '0')}` });
  const ask = log[2] as Ask;
  return { meta, log: async () => log, ask: { ...ask, questions: ask.questions.map((question) => ({ ...question, approvers })) } };
}

const LATER = Number.POSITIVE_INFINITY;
const secretIn = (text: string) => /[?&]t=([\w-]+)/.exec(text)?.[1] ?? '';

describe('notify()', () => {
  it('tries again with longer waits, half a day long, and then no more', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    letters.takes = false;
    const asked = askOf('ada@example.test');
    const waits: (number | undefined)[] = [];
    for (;;) {
      const [notice] = await notify(asked, LATER);
      const { nextTryAt } = notice as Notice;
      waits.push(nextTryAt && (nextTryAt - Date.now()) / 60_000);
      if (nextTryAt === undefined) break;
      vi.setSystemTime(nextTryAt - 1);
      expect((await notify(asked, LATER))[0]).toEqual(notice);
      vi.setSystemTime(nextTryAt);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, ...Array.from({ length: 11 }, () => 60), undefined]);
    letters.takes = true;
    const [notice] = await notify(asked, LATER);
    expect(notice).toMatchObject({ tries: 18, error: expect.stringContaining('ada@example.test') });
    expect(letters.mails.filter(({ to }) => to === 'ada@example.test')).toEqual([]);
  });

  it('sends the same link on each try', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    letters.takes = false;
    const asked = askOf('bob@example.test');
    const [failed] = await notify(asked, LATER);
    letters.takes = true;
    vi.setSystemTime(failed?.nextTryAt as number);
    const [sent] = await notify(asked, LATER);
    expect(sent).toMatchObject({ hash: failed?.hash, issue: 1, tries: 2, sentAt: Date.now() });
    expect([sent?.error, sent?.nextTryAt]).toEqual([undefined, undefined]);
    const { runId } = asked.meta;
    expect(await openLink(runId, 3, '0', secretIn(letters.mails.at(-1)?.text ?? ''), Date.now())).toMatchObject({
      recipient: 'bob@example.test',
    });
  });

  it('gives a server up that takes too long, and says so', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort(new DOMException('The time is over', 'TimeoutError')));
    const [notice] = await notify(askOf('gus@example.test'), LATER);
    expect(notice).toMatchObject({ error: 'No answer within 10 s', tries: 1 });
  });

  it('begins nothing when its time is over, and leaves it to who comes next', async () => {
    const asked = askOf('cyd@example.test', 'dan@example.test');
    const before = letters.mails.length;
    expect(await notify(asked, Date.now())).toMatchObject([{ tries: 0 }, { tries: 0 }]);
    expect(letters.mails).toHaveLength(before);
    await notify(asked, LATER);
    expect(letters.mails.slice(before).map(({ to }) => to)).toEqual(['cyd@example.test', 'dan@example.test']);
  });

  it('sends one letter to a recipient named twice, and writes to a hundred at most', async () => {
    const before = letters.mails.length;
    await notify(askOf('eve@example.test', 'eve@example.test'), LATER);
    expect(letters.mails).toHaveLength(before + 1);
    const many = askOf(...Array.from({ length: 105 }, (_, i) => `a${i}@example.test`));
    await notify(many, Date.now());
    expect(await readNotices(many.meta.runId, 3)).toHaveLength(100);
  });

  it('puts a link whose time is over in place by a new one, and the old one says that it works no more', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const asked = askOf('fay@example.test');
    await notify(asked, LATER);
    const first = secretIn(letters.mails.at(-1)?.text ?? '');
    const { runId } = asked.meta;
    vi.setSystemTime(Date.now() + 31 * 24 * 3600_000);
    expect(await openLink(runId, 3, '0', first, Date.now())).toBe('expired');
    const { tell } = await import('../../../lambdas/lib/recipients.ts');
    await tell(asked, 'fay@example.test', 'kim');
    const second = secretIn(letters.mails.at(-1)?.text ?? '');
    expect(await openLink(runId, 3, '0', first, Date.now())).toBe('revoked');
    expect(await openLink(runId, 3, '0', second, Date.now())).toMatchObject({ recipient: 'fay@example.test', issue: 2 });
  });
});
