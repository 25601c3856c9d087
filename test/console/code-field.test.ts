import { describe, expect, test } from 'vitest';
import { askPage } from '../../console/ask-page.ts';
import { asksForCode, type CodeStep, codeIn, codeMail } from '../../console/code-field.ts';
import { visible } from '../../console/plain-text.ts';
import type { AskView } from '../../shared/ask-view.ts';
import { HOSTILE } from './hostile-texts.ts';
import { harmless, shapeOf } from './markup-shape.ts';
import { answered, approval, filledWith, NOW } from './sample-asks.ts';

const pageOf = (view: AskView, code: CodeStep) => askPage({ view, now: NOW, action: '/a/1', fields: { nonce: 'n-1', t: 'secret' }, code });
const UNSENT = { recipient: 'pat@example.com' };
const SENT = { ...UNSENT, until: NOW + 10 * 60_000 };
const tags = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([tag]) => tag);

describe('the page of an answer that needs a code', () => {
  test('offers only to send one while none is out, and shows all that is asked', () => {
    const page = pageOf(approval, UNSENT);
    expect(tags(page, /<button[^>]*>[^<]*/g)).toEqual(['<button type="submit" name="send-code" value="yes">Send me a code']);
    expect(tags(page, /<input[^>]*>/g)).toEqual([
      '<input type="hidden" name="nonce" value="n-1">',
      '<input type="hidden" name="t" value="secret">',
    ]);
    expect(page).toContain('It goes to pat@example.com and works for ten minutes.');
    expect(page).toContain('48900');
  });

  test('takes it with the answer, whose button is the first that Enter presses, once one is out', () => {
    const page = pageOf(approval, SENT);
    expect(tags(page, /<button[^>]*>[^<]*/g)).toEqual([
      '<button type="submit">Send answer',
      '<button type="submit" name="send-code" value="yes">Send me another code',
    ]);
    expect(tags(page, /<input type="text"[^>]*>/g)).toEqual([
      '<input type="text" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="12" required aria-describedby="code-hint">',
    ]);
    expect(page.indexOf('name="code"')).toBeLessThan(page.indexOf('</form>'));
    expect(page).toContain('Six digits, sent to pat@example.com. Works until 2026-11-30 09:40 UTC (in 10 minutes), once.');
  });

  test.each([UNSENT, SENT])('asks for none when there is nothing to answer', (step) => {
    expect(pageOf(answered, step)).not.toMatch(/<form|<button|<input/);
  });

  test.each(Object.entries(HOSTILE))('gets no tag from a recipient: %s', (_, text) => {
    const shown = (recipient: string) => [UNSENT, SENT].map((step) => shapeOf(pageOf(approval, { ...step, recipient })).tags);
    expect(shown(text)).toEqual(shown(harmless(visible(text))));
  });
});

describe('asksForCode() and codeIn()', () => {
  test('read the form', () => {
    expect(asksForCode('nonce=n&send-code=yes')).toBe(true);
    expect(asksForCode('?send-code=yes')).toBe(false);
    expect(asksForCode('decision.0=approve&code=123456')).toBe(false);
    expect(codeIn('code=+123+456%0D%0A')).toBe('123456');
    expect(codeIn('code=123456&code=654321')).toBe('');
    expect(codeIn('decision.0=approve')).toBe('');
  });
});

describe('codeMail()', () => {
  test('names the code and what it is for, and has no link', () => {
    const { subject, text, html } = codeMail(approval, '012345', 10);
    expect(subject).toBe('Your code: May refund-agent run issue_refund?');
    for (const body of [text, html]) {
      expect(body).toContain('Your code is 012345. It works for 10 minutes, once.');
      expect(body).toContain(`May refund-agent run issue_refund? (run ${approval.runId})`);
      expect(body).not.toMatch(/:\/\/|<a|href/);
    }
    expect(subject).not.toContain('012345');
  });

  test.each(Object.entries(HOSTILE))('gets no tag and no address from a model: %s', (_, text) => {
    const mail = codeMail(filledWith(text), '012345', 10);
    expect(shapeOf(mail.html).tags).toEqual(shapeOf(codeMail(filledWith(harmless(visible(text))), '012345', 10).html).tags);
    expect(mail.text).not.toMatch(/:\/\/|[\p{L}\p{N}]\.(?=\p{L}{2})/u);
    expect(mail.subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
});
