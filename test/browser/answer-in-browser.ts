import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exactJson } from '../../console/arguments.ts';
import { readForm } from '../../console/form.ts';
import type { AskView } from '../../shared/ask-view.ts';
import { HOSTILE } from '../console/hostile-texts.ts';
import { approval, escalation, freeQuestion, partly, questionWithOptions, twoCalls, twoPeople } from '../console/sample-asks.ts';
import { askOf, outboxOf, PAGES, REFUSED } from './sample-pages.ts';
import { type Site, startSite } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite(PAGES);
});
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(() => {
  site.posts.length = 0;
  site.complaints.length = 0;
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if (await page.locator(selector).evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`Cannot reach ${selector} by the keyboard`);
}

/** The arguments of a call as their unchanged field sends them. */
const sentInput = ({ questions }: AskView, place: number) => exactJson(questions[place]?.input ?? null).replaceAll('\n', '\r\n');

/** Reads the one form that was sent. */
const readingOf = ({ questions }: AskView, asksName = false) => {
  expect(site.posts).toHaveLength(1);
  return readForm(site.posts[0]?.body ?? '', questions, asksName);
};

describe('the form, without scripts', () => {
  test('is filled and sent by the keyboard alone', async () => {
    const page = await site.open('/two-calls');
    await tabTo(page, '#q0-approve');
    await page.keyboard.press('Space');
    await tabTo(page, '#q1-approve');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, '#comment');
    await page.keyboard.type('Wrong text\nin the mail');
    await tabTo(page, 'button >> nth=0');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sent');
    const [post] = site.posts;
    expect(post?.path).toBe('/answer');
    expect([...new URLSearchParams(post?.body)]).toEqual([
      ['nonce', 'n-1'],
      ['t', 'secret'],
      ['decision.0', 'approve'],
      ['input.0', sentInput(twoCalls, 0)],
      ['decision.2', 'deny'],
      ['input.2', sentInput(twoCalls, 1)],
      ['comment', 'Wrong text\r\nin the mail'],
    ]);
    expect(readForm(post?.body ?? '', twoCalls.questions)).toEqual({
      answers: [
        { index: 0, decision: 'approve', comment: 'Wrong text\nin the mail' },
        { index: 2, decision: 'deny', comment: 'Wrong text\nin the mail' },
      ],
    });
    expect(post?.headers.referer).toBeUndefined();
    expect(site.complaints).toEqual([]);
    await page.context().close();
  });

  test('has a code sent by its own button, and Enter in the field of the code answers', async () => {
    const page = await site.open('/code-wanted');
    await tabTo(page, 'button');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sent');
    await page.goto(new URL('/code-sent', page.url()).href);
    await tabTo(page, '#q0-approve');
    await page.keyboard.press('Space');
    await tabTo(page, '#code');
    await page.keyboard.type('123 456');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sent');
    const sent = site.posts.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(sent).toEqual([
      { nonce: 'n-1', t: 'secret', 'send-code': 'yes' },
      { nonce: 'n-1', t: 'secret', 'decision.0': 'approve', 'input.0': sentInput(approval, 0), comment: '', code: '123 456' },
    ]);
    expect(site.complaints).toEqual([]);
    await page.context().close();
  });

  test('shows where the focus is', async () => {
    const page = await site.open('/two-calls');
    for (const selector of ['summary', '#comment', 'button']) {
      await tabTo(page, `${selector} >> nth=0`);
      expect(
        await page
          .locator(selector)
          .first()
          .evaluate((element) => getComputedStyle(element).outlineWidth),
      ).toBe('3px');
    }
    const radio = await site.open('/two-calls');
    await tabTo(radio, '#q0-approve');
    expect(
      await radio
        .locator('.choice')
        .first()
        .evaluate((element) => getComputedStyle(element).outlineWidth),
    ).toBe('3px');
    await Promise.all([page.context().close(), radio.context().close()]);
  });

  test('has nothing chosen, and is not sent without a decision', async () => {
    const page = await site.open('/approval');
    expect(await page.locator('input:checked').count()).toBe(0);
    await page.getByRole('button', { name: 'Send answer' }).click();
    expect(page.url()).toBe(`${site.origin}/approval`);
    expect(site.posts).toEqual([]);
    await page.context().close();
  });

  test('takes an output for the decisions that need one, and shows its field only then', async () => {
    const page = await site.open('/escalation');
    const output = page.getByLabel('Output', { exact: true });
    expect(await output.isVisible()).toBe(false);
    await page.getByLabel('Give the result').check();
    await output.fill('{"photos": []}\n');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.waitForURL('**/sent');
    expect(readForm(site.posts[0]?.body ?? '', escalation.questions)).toEqual({
      answers: [{ index: 1, decision: 'result', output: { photos: [] } }],
    });
    await page.context().close();
  });

  test('is easy to hit on a phone', async () => {
    const page = await site.open('/two-calls', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    for (const target of await page.locator('.choice label, button').all())
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await page.locator('label[for=q0-deny]').tap();
    expect(await page.locator('#q0-deny').isChecked()).toBe(true);
    await page.context().close();
  });

  test('has a name for every question and choice', async () => {
    const page = await site.open('/two-calls');
    expect(await page.getByRole('group', { name: 'Your decision on issue_refund' }).getByRole('radio').count()).toBe(2);
    expect(await page.getByRole('group', { name: 'Your decision on send_mail' }).getByRole('radio', { name: 'Approve' }).count()).toBe(1);
    await page.context().close();
  });
});

describe('the form of an ask in parts, without scripts', () => {
  test('leaves open what was not decided', async () => {
    const page = await site.open('/partly');
    await page.locator('#q3-deny').check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.waitForURL('**/sent');
    expect(readingOf(partly)).toEqual({ answers: [{ index: 4, decision: 'deny' }] });
    await page.context().close();
  });

  test('decides all calls by one button, reached by the keyboard', async () => {
    const page = await site.open('/partly');
    await tabTo(page, 'button[value=approve]');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sent');
    expect(readingOf(partly)).toEqual({
      answers: [
        { index: 2, decision: 'approve' },
        { index: 4, decision: 'approve' },
      ],
    });
    await page.context().close();
  });

  test('never decides for all by Enter in a field', async () => {
    const page = await site.open('/named');
    await tabTo(page, '#by');
    await page.keyboard.type('Pat');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sent');
    expect(readingOf(partly, true)).toEqual({ fault: 'No question has a decision: choose at least one.' });
    await page.context().close();
  });

  test('is not sent without a name where several people must say yes', async () => {
    const page = await site.open('/two-people-inbox');
    await page.locator('#q0-approve').check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    expect(site.posts).toEqual([]);
    await page.getByLabel('Your name').selectOption('finance@example.com');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.waitForURL('**/sent');
    expect(readingOf(twoPeople, true)).toEqual({ answers: [{ index: 0, decision: 'approve' }], by: 'finance@example.com' });
    await page.context().close();
  });

  test('changes the arguments by the keyboard alone', async () => {
    const page = await site.open('/approval');
    const field = page.getByLabel('Arguments of issue_refund, as JSON');
    expect(await field.isVisible()).toBe(false);
    await tabTo(page, '#q0-approve');
    await page.keyboard.press('Space');
    await tabTo(page, '.edit summary');
    await page.keyboard.press('Enter');
    await tabTo(page, '#q0-input');
    expect(JSON.parse(await field.inputValue())).toEqual(approval.questions[0]?.input);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"order_id": "A-1041", "amount_cents": 12500}');
    await tabTo(page, 'button');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sent');
    const input = { order_id: 'A-1041', amount_cents: 12_500 };
    expect(readingOf(approval)).toEqual({ answers: [{ index: 0, decision: 'approve', input }] });
    await page.context().close();
  });

  test('shows again what was refused, as it was written', async () => {
    const page = await site.open('/refused');
    expect(await page.getByLabel('Arguments of issue_refund, as JSON').inputValue()).toBe(REFUSED.get('input.0'));
    expect(await page.locator('#comment').inputValue()).toBe(REFUSED.get('comment'));
    expect(await page.locator('#q0-approve').isChecked()).toBe(true);
    expect(await page.getByRole('alert').textContent()).toContain('Nothing was decided.');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.waitForURL('**/sent');
    const input = { order_id: 'A-1041', amount_cents: 'half' };
    const [comment] = REFUSED.getAll('comment');
    expect(readingOf(approval)).toEqual({ answers: [{ index: 0, decision: 'approve', input, comment }] });
    await page.context().close();
  });
});

describe('a question, without scripts', () => {
  test('is answered by choosing an option and sending', async () => {
    const page = await site.open('/question-options');
    await tabTo(page, '#q0-option-0');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('group', { name: 'Answers to choose from, written by the model' }).getByLabel('Green').isChecked()).toBe(
      true,
    );
    await tabTo(page, 'button');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sent');
    expect(readingOf(questionWithOptions)).toEqual({ answers: [{ index: 0, decision: 'result', output: 'Green' }] });
    await page.context().close();
  });

  test('is answered by writing and sending, and a text stays a text', async () => {
    const page = await site.open('/question-free', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    await page.getByLabel('Text of your answer').fill('42');
    await page.getByRole('button', { name: 'Send answer' }).tap();
    await page.waitForURL('**/sent');
    expect(readingOf(freeQuestion)).toEqual({ answers: [{ index: 0, decision: 'result', output: '42' }] });
    await page.context().close();
  });

  test('sends back the very option, whatever it is made of', async () => {
    const [question] = questionWithOptions.questions as [AskView['questions'][number]];
    const names = ['double quotes', 'entities', 'direction marks', 'control characters', 'half a pair', 'line separators'];
    const options = names.map((name) => HOSTILE[name] as string);
    const view = { ...questionWithOptions, questions: [{ ...question, options }] };
    site.pages.set('/odd-options', askOf(view));
    for (const [i, output] of options.entries()) {
      site.posts.length = 0;
      const page = await site.open('/odd-options');
      await page.locator(`#q0-option-${i}`).check();
      await page.getByRole('button', { name: 'Send answer' }).click();
      await page.waitForURL('**/sent');
      expect(readingOf(view)).toEqual({ answers: [{ index: 0, decision: 'result', output }] });
      await page.context().close();
    }
  });

  test('can be declined', async () => {
    const page = await site.open('/question-options');
    await page.getByRole('radio', { name: 'Decline' }).check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.waitForURL('**/sent');
    expect(readingOf(questionWithOptions)).toEqual({ answers: [{ index: 0, decision: 'skip' }] });
    await page.context().close();
  });
});

describe('a mail in the outbox', () => {
  test('opens its link in a page of its own, where the form works', async () => {
    site.pages.set('/mail', outboxOf(twoCalls));
    const page = await site.open('/mail');
    const opened = page.waitForEvent('popup');
    await page.frameLocator('iframe').getByRole('link').click();
    const popup = await opened;
    await popup.waitForLoadState();
    expect(new URL(popup.url()).pathname).toBe('/two-calls');
    await popup.locator('#q0-deny').check();
    await popup.locator('#q1-deny').check();
    await popup.getByRole('button', { name: 'Send answer' }).click();
    await popup.waitForURL('**/sent');
    expect(site.complaints).toEqual([]);
    await page.context().close();
  });

  test('runs and loads nothing, whatever it holds', async () => {
    const evil = `<script>top.document.title = 'taken'</script><img src="/pixel"><link rel="stylesheet" href="/style"><iframe src="/sent"></iframe>
<form action="/answer" method="post"><button>Approve</button></form><a href="/sent" target="_top">leave</a>`;
    const outbox = outboxOf();
    const [before, after] = outbox.html.split('</main>') as [string, string];
    const frame = `<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${evil.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;
    site.pages.set('/evil', { ...outbox, html: `${before}${frame}</main>${after}` });
    const page = await site.open('/evil', { javaScriptEnabled: true });
    await page.frameLocator('iframe').getByRole('button').click();
    await page.frameLocator('iframe').getByRole('link').click();
    expect(await page.title()).toBe('Outbox · Holdfast');
    expect(page.url()).toBe(`${site.origin}/evil`);
    expect(site.posts).toEqual([]);
    expect(site.strays).toEqual([]);
    await page.context().close();
  });
});
