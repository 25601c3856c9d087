import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Machine, startMachine } from '../support/machine.ts';
import { launch } from './site.ts';

/** What opens the links of a mail before its reader does: with a browser, with scripts, under several names, again and again. */

let machine: Machine;
let browser: Browser;
beforeAll(async () => {
  machine = await startMachine(new URL('../runs/ask-agents.ts', import.meta.url), { sweepMs: 200 });
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await machine?.stop();
});

interface Mail {
  readonly to: string;
  readonly html: string;
  readonly text: string;
}

const mailsOf = (runId: string): Mail[] =>
  readdirSync(join(machine.dataDir, 'outbox'))
    .map((name) => JSON.parse(readFileSync(join(machine.dataDir, 'outbox', name), 'utf8')) as Mail)
    .filter(({ text }) => text.includes(runId));

/** Starts a run that asks, and returns its mail once that is out. */
async function mailed(call: string): Promise<{ runId: string; mail: Mail }> {
  const runId = await machine.api.start('payer', [[call]]);
  await machine.api.until(runId, 'waiting');
  await expect.poll(() => mailsOf(runId).length, { timeout: 20_000 }).toBeGreaterThan(0);
  return { runId, mail: mailsOf(runId)[0] as Mail };
}

const AGENTS = ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 'BarracudaLinkProtect/1.0', 'curl/8.5.0'];

/** Opens the mail as HTML and everything that can be reached from it by links, two steps deep; submits nothing. */
async function scan(mail: Mail, userAgent: string): Promise<string[]> {
  const context = await browser.newContext({ userAgent, javaScriptEnabled: true });
  const page = await context.newPage();
  const opened: string[] = [];
  const follow = async (links: string[], depth: number): Promise<void> => {
    for (const link of links.filter((each) => !opened.includes(each))) {
      opened.push(link);
      await page.request.head(link);
      await page.goto(link, { waitUntil: 'load' });
      for (const summary of await page.locator('summary').all()) await summary.click();
      if (depth > 0) await follow(await linksIn(page), depth - 1);
    }
  };
  await page.setContent(mail.html);
  await follow(await linksIn(page), 2);
  await context.close();
  return opened;
}

const linksIn = (page: import('playwright-core').Page): Promise<string[]> =>
  page
    .locator('a[href], img[src], link[href], iframe[src]')
    .evaluateAll((elements) => elements.map((element) => element.getAttribute('href') ?? (element as HTMLImageElement).src));

/** Everything stored of a run that a decision could have changed. */
const recordsOf = async (runId: string) => JSON.stringify(await machine.api.records(runId));

describe('a scanner of mails', () => {
  test('opens every link of a mail and what lies behind, and decides nothing', async () => {
    const { runId, mail } = await mailed('pay a');
    const before = await recordsOf(runId);
    for (const userAgent of [...AGENTS, ...AGENTS]) {
      const opened = await scan(mail, userAgent);
      expect(opened.filter((link) => link.includes('/a/'))).toHaveLength(1);
      expect(opened.filter((link) => !link.startsWith(machine.host.url))).toEqual([]);
    }
    expect(await recordsOf(runId)).toBe(before);
    expect((await machine.api.show(runId)).status).toBe('waiting');
  });

  test('leaves the link as good as new for the person it was made for', async () => {
    const { runId, mail } = await mailed('pay b');
    await scan(mail, AGENTS[1] as string);
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await page.setContent(mail.html);
    await page.goto((await linksIn(page))[0] as string);
    await page.locator('input[value=approve]').check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await machine.api.until(runId, 'completed');
    expect(machine.world.applied.filter(({ key }) => key.startsWith(runId))).toHaveLength(1);
    await page.reload();
    expect(await page.textContent('main')).toContain('boss@example.test');
    expect(await page.locator('form').count()).toBe(0);
  });

  test('finds nothing to press in a mail with hostile arguments', async () => {
    const hostile =
      'c"><a href="https://evil.test">Approve here</a><img src="https://evil.test/x"><script>location="https://evil.test"</script>';
    const { runId, mail } = await mailed(`pay ${hostile}`);
    const opened = await scan(mail, AGENTS[0] as string);
    expect(opened.filter((link) => link.includes('evil'))).toEqual([]);
    expect((await machine.api.show(runId)).status).toBe('waiting');
  });
});
