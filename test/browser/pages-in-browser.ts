import axe from 'axe-core';
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { visible } from '../../console/plain-text.ts';
import { HOSTILE } from '../console/hostile-texts.ts';
import { harmless } from '../console/markup-shape.ts';
import { PAGES, pageWith } from './sample-pages.ts';
import { type Site, startSite } from './site.ts';

const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const DARK = { colorScheme: 'dark' } as const;
const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light', {}],
  ['dark', DARK],
  ['phone', PHONE],
];

let site: Site;
beforeAll(async () => {
  site = await startSite(PAGES);
});
afterAll(() => site[Symbol.asyncDispose]());
afterEach(() => {
  site.complaints.length = 0;
  site.strays.length = 0;
  site.posts.length = 0;
});

describe.each(Object.keys(PAGES))('%s', (path) => {
  test.each(LOOKS)('has no fault that axe finds: %s', async (_, look) => {
    const page = await site.open(path, { ...look, javaScriptEnabled: true, bypassCSP: true });
    await page.addScriptTag({ content: axe.source });
    const { violations, passes } = await page.evaluate(() =>
      (window as unknown as { axe: typeof axe }).axe.run({ iframes: false } as axe.RunOptions),
    );
    expect(passes.length).toBeGreaterThan(8);
    expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]) }))).toEqual([]);
    await page.context().close();
  });

  test('is styled under its policy, breaks none of it, and asks for nothing else', async () => {
    const page = await site.open(path, { javaScriptEnabled: true });
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(251, 250, 247)');
    expect(site.complaints).toEqual([]);
    expect(site.strays).toEqual([]);
    await page.context().close();
  });

  test('fits the width of a phone', async () => {
    const page = await site.open(path, PHONE);
    for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.context().close();
  });
});

describe('hostile text', () => {
  test.each(Object.entries(HOSTILE))('adds no element and no attribute: %s', async (_, text) => {
    site.pages.set('/hostile', pageWith(text));
    site.pages.set('/calm', pageWith(harmless(isLong(text) ? text : visible(text))));
    expect(await elementsOf('/hostile')).toEqual(await elementsOf('/calm'));
    expect(site.complaints).toEqual([]);
    expect(site.strays).toEqual([]);
  });

  /** What is cut is cut by the characters of the text, and not by those that stand for unseen ones. */
  const isLong = (text: string) => text.length > 10_000;

  /** Every kind of element with its attributes, as the browser built them. */
  async function elementsOf(path: string): Promise<string[]> {
    const page = await site.open(path);
    const elements = await page.evaluate(() =>
      [...document.querySelectorAll('*')].map(
        (element) => `${element.parentElement?.localName} > ${element.localName} ${element.getAttributeNames()}`,
      ),
    );
    await page.context().close();
    return [...new Set(elements)].toSorted();
  }

  test('is shown exactly, with what is unseen written out', async () => {
    const text = HOSTILE['the end of the frame'] as string;
    const page = await site.open('/tags');
    expect(await page.locator('pre code').allTextContents()).toContain(text);
    const marks = await site.open('/directions');
    expect(await marks.locator('pre code').allTextContents()).toContain(visible(HOSTILE['direction marks'] as string));
    await Promise.all([page.context().close(), marks.context().close()]);
  });

  test('paints nothing outside its frame', async () => {
    site.pages.set('/marks', pageWith(HOSTILE['marks upon marks'] as string));
    const page = await site.open('/marks');
    expect(
      await page.evaluate(() => [...document.querySelectorAll('pre')].every((pre) => getComputedStyle(pre).overflow === 'hidden')),
    ).toBe(true);
    await page.context().close();
  });
});

describe('the policy', () => {
  test('stops scripts, styles, pictures, frames and forms that are not the page’s own', async () => {
    const { html } = PAGES['/approval'] as { html: string };
    const intruders = `<script>document.title = 'taken'</script><p id="p" style="color: rgb(1, 2, 3)">x</p><style>h1 { color: rgb(1, 2, 3) }</style>
<img src="/pixel" onerror="document.title = 'taken'"><iframe src="/sent"></iframe><form id="f" method="post" action="http://localhost:1/"><button>go</button></form>`;
    site.pages.set('/invaded', { html: html.replace('</main>', `${intruders}</main>`) });
    const page = await site.open('/invaded', { javaScriptEnabled: true });
    expect(await page.title()).toContain('May refund-agent run issue_refund?');
    expect(await page.locator('#p').evaluate((element) => getComputedStyle(element).color)).not.toBe('rgb(1, 2, 3)');
    expect(await page.locator('h1').evaluate((element) => getComputedStyle(element).color)).not.toBe('rgb(1, 2, 3)');
    await page.locator('#f').evaluate((form: HTMLFormElement) => form.requestSubmit());
    await expect.poll(() => site.complaints.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThanOrEqual(6);
    expect(page.url()).toBe(`${site.origin}/invaded`);
    expect(site.strays).toEqual([]);
    await page.context().close();
  });

  test('lets no other page frame it', async () => {
    site.pages.set('/framing', {
      html: '<!doctype html><title>x</title><iframe src="/approval"></iframe>',
      headers: { 'content-type': 'text/html' },
    });
    const page = await site.open('/framing');
    await expect.poll(() => site.complaints.join()).toContain('frame-ancestors');
    await page.context().close();
  });
});

test('a page follows the system into the dark', async () => {
  const page = await site.open('/approval', DARK);
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(22, 23, 25)');
  await page.context().close();
});
