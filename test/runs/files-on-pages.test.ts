import { afterAll, beforeAll, expect, it } from 'vitest';
import { PAGE_HEADERS } from '../../console/headers.ts';
import type { Json } from '../../shared/json.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { PIXEL } from '../support/pictures.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./file-agents.ts', import.meta.url), {
    environment: { HOLDFAST_MAIL_FROM: 'holdfast@example.test' },
  });
});
afterAll(() => machine?.stop());

const sent = (bytes: Buffer, mediaType: string, name: string): Json => ({ $file: { mediaType, name, data: bytes.toString('base64') } });
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');

/** The page of the ask of a run that has files in its task, in an output and in what is asked. */
async function pageOf(name: string): Promise<{ html: string; headers: Headers }> {
  const runId = await machine.api.start('asking', { see: 'a picture', drawing: sent(SVG, 'image/svg+xml', name) });
  const { ask } = await machine.api.until(runId, 'waiting');
  const response = await fetch(`${machine.host.url}/inbox/${ask?.id}`);
  return { html: await response.text(), headers: response.headers };
}

it('the page of an ask shows pictures as parts of it, and lets all other files be saved', async () => {
  const { html, headers } = await pageOf('x.svg');
  expect([...html.matchAll(/<img [^>]*>/g)].map(([tag]) => tag)).toEqual([
    `<img src="data:image/png;base64,${PIXEL.toString('base64')}" alt="a.png, image/png, 1 x 1 pixels, 70 bytes" width="1" height="1">`,
  ]);
  expect(html).toMatch(/<a href="\/runs\/\w+\/files\/[0-9a-f]{64}\?name=x\.svg" download>x\.svg, image\/svg\+xml, 59 bytes<\/a>/);
  expect(headers.get('content-security-policy')).toBe(PAGE_HEADERS['content-security-policy']);
  expect(PAGE_HEADERS['content-security-policy']).toContain('img-src data:;');
  expect(html).not.toContain(SVG.toString('base64'));
});

it('a name cannot leave its place on the page', async () => {
  const { html } = await pageOf('"><script>alert(1)<');
  expect(html).not.toContain('<script');
  expect(html).toContain('?name=%22%3E%3Cscript%3Ealert(1)%3C"');
});
