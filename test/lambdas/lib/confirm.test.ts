import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Notice } from '../../../lambdas/lib/notice-store.ts';
import type { AskView } from '../../../shared/ask-view.ts';
import { approval } from '../../console/sample-asks.ts';
import { type Letters, openLetters } from '../../support/letters.ts';

let letters: Letters;
let confirm: typeof import('../../../lambdas/lib/confirm.ts');
let store: typeof import('../../../lambdas/lib/notice-store.ts');
beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  letters = await openLetters();
  confirm = await import('../../../lambdas/lib/confirm.ts');
  store = await import('../../../lambdas/lib/notice-store.ts');
});
afterAll(() => letters?.close());

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const view: AskView = approval;
let seq = 0;
const noticed = (): Promise<Notice> =>
  store.keepNotice({ runId: view.runId, seq: ++seq, recipient: 'pat@example.com', hash: `link ${seq}`, issue: 1, expiresAt: 1 });

/** Has a code sent at a time, and returns it. */
async function sent(notice: Notice, at: number): Promise<string> {
  expect(await confirm.sendCode(view, notice, at)).toBeUndefined();
  return /Your code is (\d{6})\./.exec(letters.mails.at(-1)?.text ?? '')?.[1] ?? '';
}

/** Another code than this one. */
const not = (code: string, by = 1): string => String((Number(code) + by) % 1_000_000).padStart(6, '0');
const text = async (notice: Notice, code: string, at: number) => (await confirm.checkCode(notice, code, at))?.text;

describe('a code', () => {
  it('goes to the recipient of the notice, and is not kept as it is', async () => {
    const notice = await noticed();
    const code = await sent(notice, NOW);
    expect(letters.mails.at(-1)).toMatchObject({ to: 'pat@example.com', subject: 'Your code: May refund-agent run issue_refund?' });
    expect(JSON.stringify(await store.readNotice(notice))).not.toContain(code);
    expect(await confirm.codeStepOf(notice, NOW)).toEqual({ recipient: 'pat@example.com', until: NOW + 10 * MINUTE });
    expect(await confirm.checkCode(notice, code, NOW + 10 * MINUTE - 1)).toBeUndefined();
  });

  it('works for ten minutes', async () => {
    const notice = await noticed();
    const code = await sent(notice, NOW);
    expect(await text(notice, code, NOW + 10 * MINUTE)).toBe('That code works no more. Have another sent.');
    expect(await confirm.codeStepOf(notice, NOW + 10 * MINUTE)).toEqual({ recipient: 'pat@example.com' });
  });

  it('has five tries, whoever comes at the same moment', async () => {
    const notice = await noticed();
    const code = await sent(notice, NOW);
    const wrong = await Promise.all(Array.from({ length: 20 }, (_, i) => text(notice, not(code, i + 1), NOW)));
    const lasts = (left: string) => wrong.filter((each) => each === `The code is wrong: ${left}`).length;
    expect(
      ['4 tries are left.', '3 tries are left.', '2 tries are left.', '1 try is left.', 'that was the last try. Have another sent.'].map(
        lasts,
      ),
    ).toEqual([1, 1, 1, 1, 1]);
    expect(wrong.filter((each) => each === 'That code works no more. Have another sent.')).toHaveLength(15);
    expect(await text(notice, code, NOW)).toBe('That code works no more. Have another sent.');
    expect(await confirm.codeStepOf(notice, NOW)).toEqual({ recipient: 'pat@example.com' });
  });

  it('that is right costs no try: what it came with may be refused, and sent again', async () => {
    const notice = await noticed();
    const code = await sent(notice, NOW);
    for (let i = 0; i < 7; i++) expect(await text(notice, code, NOW)).toBeUndefined();
    expect(await text(notice, not(code), NOW)).toBe('The code is wrong: 4 tries are left.');
    expect(await text(notice, code, NOW)).toBeUndefined();
    expect(await text(notice, not(code), NOW)).toBe('The code is wrong: 3 tries are left.');
  });

  it('is not tried by what is no code', async () => {
    const notice = await noticed();
    const code = await sent(notice, NOW);
    for (const given of ['', '12345', '1234567', '12345a', '１２３４５６'])
      expect(await confirm.checkCode(notice, given, NOW)).toEqual({ status: 400, text: 'Type the six digits of the code.' });
    expect(await text(notice, not(code), NOW)).toBe('The code is wrong: 4 tries are left.');
  });

  it('is sent at most once a minute, and the one before works no more', async () => {
    const notice = await noticed();
    const first = await sent(notice, NOW);
    expect(await confirm.sendCode(view, notice, NOW + MINUTE - 1)).toMatchObject({
      status: 429,
      text: expect.stringContaining('less than a minute ago'),
    });
    let second = await sent(notice, NOW + MINUTE);
    for (let at = 2; second === first; at++) second = await sent(notice, NOW + at * MINUTE);
    expect(await text(notice, first, NOW + 2 * MINUTE)).toBe('The code is wrong: 4 tries are left.');
    expect(await text(notice, second, NOW + 2 * MINUTE)).toBeUndefined();
  });

  it('is sent ten times until the ask is sent again, so that nobody guesses for days', async () => {
    const notice = await noticed();
    for (let i = 0; i < 10; i++) await sent(notice, NOW + i * MINUTE);
    expect(await confirm.sendCode(view, notice, NOW + 60 * MINUTE)).toMatchObject({
      status: 429,
      text: expect.stringContaining('No more codes'),
    });
    await store.noteAgain(notice, { by: 'kim', at: 1 }, 2);
    await sent(notice, NOW + 61 * MINUTE);
  });

  it('is for one link alone', async () => {
    const [mine, yours] = [await noticed(), await noticed()];
    const code = await sent(mine, NOW);
    expect(await text(yours, code, NOW)).toBe('That code works no more. Have another sent.');
    await sent(yours, NOW);
    await store.setLink(yours, { hash: 'another', issue: 2, expiresAt: 3 });
    expect((await confirm.codeStepOf(yours, NOW)).until).toBeUndefined();
  });

  it('that could not be sent says so, and counts', async () => {
    const notice = await noticed();
    letters.takes = false;
    expect(await confirm.sendCode(view, notice, NOW)).toMatchObject({ status: 502 });
    letters.takes = true;
    expect(await confirm.sendCode(view, notice, NOW)).toMatchObject({ status: 429 });
  });

  it('is used up once', async () => {
    const notice = await noticed();
    const code = await sent(notice, NOW);
    await store.useUpCode(notice);
    expect(await text(notice, code, NOW)).toBe('That code works no more. Have another sent.');
  });
});
