import { describe, expect, it } from 'vitest';
import { plain } from '../../cli/output.ts';
import { timelineLines } from '../../cli/timeline.ts';
import { fileJson, refOf } from '../../shared/file.ts';
import type { Json } from '../../shared/json.ts';
import type { RunRecord } from '../../shared/record.ts';
import { ask, callOf, end, RUN_ID, reply, task } from './sample-run.ts';

const shown = (...records: RunRecord[]) => timelineLines(records, { runId: RUN_ID, paint: plain, width: 120 });

const results = (seq: number, given: Partial<Extract<RunRecord, { type: 'results' }>['results'][number]>): RunRecord => ({
  v: 1,
  seq,
  at: 1_700_000_010_000,
  type: 'results',
  reply: seq - 1,
  results: [{ index: 0, ok: true, output: { id: 7 }, attempts: 1, ...given }],
});

describe('timelineLines()', () => {
  it('shows a whole run: calls under their reply, results under their names', () => {
    const lines = shown(task(), reply(2, [callOf(0)]), results(3, { ms: 1500, effect: { key: 'k', state: 'done' } }), end(4));
    expect(lines).toEqual([
      '    +0ms    #1  task    desk {"order":"A-1"}',
      '   +1.0s    #2  reply   1 call · 10 in, 5 out tokens · 40ms · scripted/desk',
      '                        I pay.',
      '                        → [0] pay once {"amount":0}',
      '   +9.0s    #3  results 1 ok',
      '                        ✓ [0] pay 1.5s · effect done {"id":7}',
      '   +3.0s    #4  end     completed (final-reply)',
      '                        All paid.',
    ]);
  });

  it('shows attempts, an invalid call, a failure, a reused result and an unknown effect', () => {
    const text = shown(
      task(),
      reply(2, [callOf(0, { invalid: 'Not run: no such tool' })], { attempts: 3, finish: 'cut' }),
      results(3, { ok: false, output: 'It broke', attempts: 2, reused: true, effect: { key: 'k', state: 'unknown' } }),
    ).join('\n');
    for (const part of [
      '3 attempts',
      'finish: cut',
      'invalid: Not run',
      '0 ok, 1 not ok',
      '✗ [0] pay',
      '2 attempts · effect unknown · reused It broke',
    ])
      expect(text).toContain(part);
  });

  it('shows what is asked, of which call, and what may be answered', () => {
    const text = shown(task(), ask(2)).join('\n');
    expect(text).toContain(`approval (needs-consent) ${RUN_ID}-2`);
    expect(text).toContain('? [1] pay {"amount":1}');
    expect(text).toContain('answers: approve, deny');
  });

  it('names files, and shows none of the text in them', () => {
    const file = refOf({ bytes: Buffer.from('a,b'), mediaType: 'text/csv', name: 'a.csv' }, '0'.repeat(64));
    const text = shown(
      { ...task(), input: { see: fileJson(file) } } as RunRecord,
      reply(2, [callOf(0)]),
      results(3, { output: [fileJson(file)] }),
      { v: 1, seq: 4, at: 1_700_000_020_000, type: 'user', messages: [{ id: '1', text: 'And this?', files: [file], at: 0 }] },
    ).join('\n');
    expect(text).toContain('{"see":"[file a.csv, text/csv, 3 bytes]"}');
    expect(text).toContain('["[file a.csv, text/csv, 3 bytes]"]');
    expect(text).toContain('And this?\n                        [file a.csv, text/csv, 3 bytes]');
    expect(text).not.toContain('a,b');
  });

  it('strips escapes, control characters and marks that reorder text, wherever they come from', () => {
    const evil = 'a\u001b[31mred\u001b]0;title\u0007\u001b[2J\u009b5m\u202eb\u200b\rc\u0000\u0008d';
    const lines = shown(
      task(evil),
      reply(2, [callOf(0, { tool: evil, input: { [evil]: evil } })], { text: evil, servedModel: evil }),
      results(3, { output: { [evil]: [evil] } }),
      ask(4, { reason: evil, questions: [{ kind: 'question', text: evil, choices: ['result'] }] }),
      { ...end(5), text: evil } as RunRecord,
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202e]/);
    expect(lines[0]).toContain('ared');
  });

  it('clips long values, says how much is left out, and never breaks a character', () => {
    const lines = shown(
      task('💶'.repeat(200_000)),
      reply(2, [callOf(0, { input: { blob: 'x'.repeat(400_000) } })], { text: 'y'.repeat(400_000) }),
    );
    expect(lines.join('').length).toBeLessThan(4_000);
    expect(lines[0]).toMatch(/… \(\d+ more\)$/);
    expect(lines[0]?.isWellFormed()).toBe(true);
  });

  it('shows at most some lines of a text', () => {
    const lines = shown({ ...end(1), text: 'line\n'.repeat(500) } as RunRecord);
    expect(lines.length).toBeLessThan(20);
    expect(lines.at(-1)).toContain('lines more');
  });

  it('hides the values of keys that name secrets, at any depth, and counts of tokens are none', () => {
    const input: Json = {
      maxTokens: 9,
      apiKey: 'sk-1',
      nested: [{ Password: 'hunter2', access_token: 'abc', secret: { deep: 'x' } }],
      token: '',
    };
    const text = shown(task(input)).join('');
    for (const secret of ['sk-1', 'hunter2', 'abc', 'deep']) expect(text).not.toContain(secret);
    expect(text).toContain('"maxTokens":9');
  });

  it('says how many entries of a long list are left out', () => {
    expect(
      shown(ask(1, { questions: [{ kind: 'approval', text: 'May it?', input: Array(1_200).fill(''), choices: ['deny'] }] })).join(''),
    ).toContain('more)');
  });

  it('shows who consents all of what is asked, where other lines are clipped', () => {
    const input = { note: 'x'.repeat(600), amount: 99_999 };
    const lines = shown(
      reply(1, [callOf(0, { input })]),
      ask(2, { questions: [{ kind: 'approval', index: 0, tool: 'pay', input, text: 'May it?', choices: ['deny'] }] }),
    );
    expect(lines.filter((line) => line.includes('99999'))).toHaveLength(1);
    expect(lines.find((line) => line.includes('99999'))).toContain('? [0] pay');
  });

  it('shows a value that is nested without end', () => {
    let deep: Json = 1;
    for (let i = 0; i < 5_000; i++) deep = [deep];
    expect(shown(task(deep))[0]).toContain('…');
  });
});
