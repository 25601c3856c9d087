import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readForm } from '../../console/form.ts';
import { escalation, twoCalls } from '../console/sample-asks.ts';
import { outboxOf, PAGES } from './sample-pages.ts';
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

describe('the form, without scripts', () => {
  test('is filled and sent by the keyboard alone', async () => {
    const page = await site.open('/two-calls');
    await tabTo(page, '#q0-approve');
    await page.keyboard.press('Space');
    await tabTo(page, '#q1-approve');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, '#comment');
    await page.keyboard.type('Wrong text\nin the mail');
    await tabTo(page, 'button');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sent');
    const [post] = site.posts;
    expect(post?.path).toBe('/answer');
    expect([...new URLSearchParams(post?.body)]).toEqual([
      ['nonce', 'n-1'],
      ['t', 'secret'],
      ['decision.0', 'approve'],
      ['decision.2', 'deny'],
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

  test('has nothing chosen, and is not sent until each call has its decision', async () => {
    const page = await site.open('/two-calls');
    expect(await page.locator('input:checked').count()).toBe(0);
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.locator('#q0-deny').check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    expect(page.url()).toBe(`${site.origin}/two-calls`);
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
