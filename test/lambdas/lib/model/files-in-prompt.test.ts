import { describe, expect, it } from 'vitest';
import { askModel } from '../../../../lambdas/lib/model.ts';
import { type FileRef, fileJson, filesIn, refOf } from '../../../../shared/file.ts';
import type { Json } from '../../../../shared/json.ts';
import type { ViewMessage } from '../../../../shared/model.ts';
import type { Reply } from '../../../../shared/record.ts';
import { withFiles } from '../../../../shared/shown-files.ts';
import { view } from '../../../../shared/view.ts';
import { call, calling, logOf, ok, settling, task } from '../../../support/log-builder.ts';
import { modelRequest, replyRecord, turn, user } from '../../../support/model-request.ts';
import { gifOfPictures, pngOf } from '../../../support/pictures.ts';
import { DIALECTS, type Dialect } from '../../../support/provider-dialects.ts';
import { useProviderServer } from '../../../support/provider-environment.ts';

const here = useProviderServer();
const start = user('Look around.');
const lastBody = () => here.provider.requests.at(-1)?.body;

/** Files by what stands for them, as a run's blobs hold them; what was read of them. */
function store() {
  const kept = new Map<string, Uint8Array>();
  const read: string[] = [];
  const keep = (name: string, bytes: Uint8Array, mediaType = 'image/png'): FileRef => {
    const ref = refOf({ bytes, mediaType, name }, String(kept.size).padStart(64, '0'));
    kept.set(ref.sha256, bytes);
    return ref;
  };
  const readFile = async ({ sha256, name }: FileRef) => {
    read.push(name ?? sha256);
    return kept.get(sha256);
  };
  return { keep, readFile, read };
}
type Store = ReturnType<typeof store>;

async function ask({ model, body }: Dialect, view: readonly ViewMessage[], { readFile }: Store, ...calls: [string, string, string][]) {
  here.provider.play({ body: body(calls.length > 0 ? '' : 'Done.', ...calls) });
  const outcome = await askModel(modelRequest(model, { view: () => view, readFile }));
  expect(here.provider.refusals).toEqual([]);
  return outcome;
}

/** A turn as the view shows it, with the files of its outputs. */
function shown(reply: Reply, ...outputs: Json[]): ViewMessage[] {
  const [assistant, tool] = turn(reply, ...outputs.map((output) => ({ output }))) as [ViewMessage, Extract<ViewMessage, { role: 'tool' }>];
  return [assistant, { ...tool, results: withFiles(tool.results, tool.results) }];
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const ANTHROPIC = DIALECTS[0] as Dialect;

describe.each(DIALECTS)('files in requests to $model', (dialect) => {
  const inResults = !dialect.model.startsWith('openai-compatible/');

  it('sends a GIF that stands still, and says of one that moves where the provider would refuse it', async () => {
    const files = store();
    const [still, moving] = [gifOfPictures(1), gifOfPictures(2)];
    const sent = [files.keep('still.gif', still, 'image/gif'), files.keep('moving.gif', moving, 'image/gif')];
    await ask(dialect, [{ ...start, files: sent } as ViewMessage], files);
    const body = JSON.stringify(lastBody());
    expect(body).toContain(base64(still));
    const takes = dialect.model.startsWith('anthropic/') || dialect.model.startsWith('bedrock/');
    expect([body.includes(base64(moving)), body.includes('this model takes no animated GIF')]).toEqual([takes, !takes]);
  });

  it('keeps the results of one batch together at the start, each picture inside its result or after all of them', async () => {
    const files = store();
    const [picture, second] = [pngOf(20, 10), pngOf(30, 10)];
    const [first, other] = [files.keep('a.png', picture), files.keep('b.png', second)];
    const calls: [string, string, string][] = [
      ['a', 'screenshot', '{}'],
      ['b', 'lookup_order', '{}'],
      ['c', 'screenshot', '{}'],
    ];
    const reply = replyRecord(2, await ask(dialect, [start], files, ...calls));
    const outputs = [{ text: 'the page', picture: fileJson(first) }, 'state of A1', fileJson(other)];
    await ask(dialect, [start, ...shown(reply, ...outputs), user('And now?')], files);
    const sent = JSON.stringify(dialect.messages(lastBody()));
    const order = inResults
      ? ['c2_0', 'the page', base64(picture), 'c2_1', 'state of A1', 'c2_2', base64(second), 'And now?']
      : [
          'c2_0',
          'the page',
          'c2_1',
          'state of A1',
          'c2_2',
          'result of call c2_0',
          base64(picture),
          'result of call c2_2',
          base64(second),
          'And now?',
        ];
    let at = sent.lastIndexOf('c2_0', sent.indexOf('the page'));
    for (const each of order) {
      const next = sent.indexOf(each, at);
      expect([each, next >= at]).toEqual([each, true]);
      at = next;
    }
    expect(sent).toContain('[file c2_0_f1: a.png, image/png, 20 x 10 pixels, 64 bytes]');
    expect(sent).not.toContain('$file');
    expect(sent).not.toContain(first.sha256);
  });

  it('shows the files of a message of the user after its text', async () => {
    const files = store();
    const picture = pngOf(20, 10);
    await ask(dialect, [{ role: 'user', text: 'What is this?', files: [files.keep('a.png', picture)] }], files);
    expect(JSON.stringify(dialect.messages(lastBody()))).toMatch(
      new RegExp(`What is this.*${base64(picture).slice(0, 40).replaceAll('+', '\\+')}`),
    );
  });

  it('says of a file that the model cannot take what it is, and reads it not', async () => {
    const files = store();
    const page = files.keep('x.zip', Buffer.from([1, 2, 3, 4]), 'application/zip');
    const reply = replyRecord(2, await ask(dialect, [start], files, ['a', 'screenshot', '{}']));
    await ask(dialect, [{ ...start, files: [page] } as ViewMessage, ...shown(reply, fileJson(page))], files);
    const sent = JSON.stringify(dialect.messages(lastBody()));
    for (const id of ['1', 'c2_0_f1'])
      expect(sent).toContain(`(file ${id}, x.zip, application/zip, 4 bytes, is not shown: this model takes no application/zip)`);
    expect(files.read).toEqual([]);
  });

  it('shows the text of files inside the messages and results that they came with, and reads nothing for it', async () => {
    const files = store();
    const [csv, picture] = [files.keep('a.csv', Buffer.from('a,b\n1,ä'), 'text/csv'), files.keep('b.png', pngOf(20, 10))];
    const start_ = task({ see: fileJson(csv) });
    const results = settling(ok({ output: { made: fileJson(csv), seen: fileJson(picture) } }), ok({ output: 'state of A1' }));
    const view_ = view(logOf(start_, calling(call('screenshot'), call('lookup_order')), results));
    const reply = replyRecord(2, await ask(dialect, view_.slice(0, 1), files, ['a', 'screenshot', '{}'], ['b', 'lookup_order', '{}']));
    await ask(
      dialect,
      view_.map((message) => ('reply' in message ? { ...message, reply } : message)),
      files,
    );
    const sent = JSON.stringify(dialect.messages(lastBody()));
    const shown = (id: string) => JSON.stringify(JSON.stringify(`<file id="${id}">\na,b\n1,ä\n</file>`).slice(1, -1)).slice(1, -1);
    const plain = (id: string) => JSON.stringify(`<file id="${id}">\na,b\n1,ä\n</file>`).slice(1, -1);
    const at = (id: string) => Math.max(sent.indexOf(plain(id)), sent.indexOf(shown(id)));
    expect(at('m1_0_f1')).toBeGreaterThan(0);
    expect(at('c2_0_f1')).toBeGreaterThan(sent.indexOf('[file c2_0_f1: a.csv'));
    expect(at('c2_0_f1')).toBeLessThan(sent.indexOf('state of A1'));
    expect(sent).not.toContain('is not shown');
    expect(files.read).toEqual(['b.png']);
  });

  it('says of a file that is gone, or is not what it is said to be, that it is', async () => {
    const files = store();
    const real = files.keep('a.png', pngOf(20, 10));
    const lies: FileRef[] = [
      { ...real, width: 21 },
      { ...real, mediaType: 'image/gif' },
      { ...real, bytes: 65 },
      { ...real, sha256: 'f'.repeat(64) },
    ];
    await ask(dialect, [{ role: 'user', text: 'See.', files: lies }], files);
    const sent = JSON.stringify(dialect.messages(lastBody()));
    expect(sent.match(/is not shown: its bytes are not what it is said to be/g)).toHaveLength(3);
    expect(sent).toContain('is not shown: it is not kept any more');
  });

  it('sends a document in the form that the provider takes, or a note', async () => {
    const files = store();
    const pdf = Buffer.from('%PDF-1.7 twice');
    const report = files.keep('report (1).pdf', pdf, 'application/pdf');
    const reply = replyRecord(2, await ask(dialect, [start], files, ['a', 'screenshot', '{}']));
    await ask(dialect, [{ ...start, files: [report] } as ViewMessage, ...shown(reply, fileJson({ ...report }))], files);
    const sent = JSON.stringify(dialect.messages(lastBody()));
    if (inResults) expect(sent.split(base64(pdf))).toHaveLength(3);
    else expect(sent.match(/this model takes no application\/pdf/g)).toHaveLength(2);
  });

  it('stays within the limits for many small pictures, and begins each request with the bytes of the one before for as long as it can', async () => {
    const files = store();
    const view: ViewMessage[] = [start];
    let texts: string[] = [];
    let broken = 0;
    for (let step = 1; step <= 30; step++) {
      const reply = replyRecord(2 * step, await ask(dialect, view, files, ['a', 'screenshot', '{}']));
      // Marks for a provider's cache move with the end of the request.
      const request = JSON.stringify(dialect.messages(lastBody())).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
      const begins = request.startsWith((texts.at(-1) ?? '').slice(0, -1));
      if (!begins) broken++;
      texts = [request];
      const picture = pngOf(step === 3 ? 3_000 : 1_200, 900, 1_500_000, step);
      view.push(...shown(reply, { step, picture: fileJson(files.keep(`${step}.png`, picture)) }));
    }
    await ask(dialect, view, files);
    const last = JSON.stringify(dialect.messages(lastBody()));
    expect(last).toContain('(file c2_0_f1, 1.png, image/png, 1200 x 900 pixels, 1500000 bytes, is not shown: older files are left out');
    expect(last).not.toContain('(file c60_0_f1, 30.png');
    expect(last).toContain('[file c6_0_f1: 3.png, image/png, 3000 x 900 pixels, 1500000 bytes]');
    expect(broken).toBeLessThanOrEqual(10);
    expect(broken).toBeGreaterThan(0);
  }, 120_000);
});

describe('many pictures to Anthropic', () => {
  it('may have long sides while there are at most 20 of them', async () => {
    const files = store();
    const small = Array.from({ length: 40 }, (_, i) => files.keep(`${i}.png`, pngOf(100, 100)));
    await ask(ANTHROPIC, [{ role: 'user', text: 'Many', files: small }], files);
    expect(JSON.stringify(lastBody())).not.toContain('is not shown');
    const large = files.keep('large.png', pngOf(3_000, 100));
    await ask(ANTHROPIC, [{ role: 'user', text: 'Many', files: [...small, large] }], files);
    expect(JSON.stringify(lastBody()).match(/is not shown: older/g)).toHaveLength(31);
  });

  it('reads no picture that is left out', async () => {
    const files = store();
    const all = Array.from({ length: 101 }, (_, i) => files.keep(`${i}.png`, pngOf(10, 10)));
    await ask(ANTHROPIC, [{ role: 'user', text: 'Many', files: all }], files);
    expect(files.read).toEqual(all.slice(-50).map(({ name }) => name));
    expect(filesIn(fileJson(all[0] as FileRef))).toHaveLength(1);
  });
});
