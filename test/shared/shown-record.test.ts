import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../shared/record.ts';
import { MAX_SHOWN_BYTES, shownRecord, showRecord } from '../../shared/shown-record.ts';

const head = { v: 1, seq: 3, at: 0 } as const;
const results = (...outputs: unknown[]): RunRecord => ({
  ...head,
  type: 'results',
  reply: 2,
  results: outputs.map((output, index) => ({ index, ok: true, output: output as never, attempts: 1 })),
});
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('showRecord()', () => {
  it('shows whole what is not large', () => {
    const record = results('x'.repeat(900_000));
    expect(showRecord(record)).toBe(record);
  });

  it('shows the beginning of a large text, and its true size', () => {
    const shown = showRecord(results('é'.repeat(2_000_000), 'short'));
    expect(shown).toMatchObject({ results: [{ output: 'é'.repeat(60_000) }, { output: 'short' }] });
    expect(shown.clipped).toEqual([{ path: 'results.0.output', bytes: 4_000_000 }]);
  });

  it('shows the beginning of the JSON of a large value', () => {
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `row ${id}` }));
    const shown = showRecord(results(rows));
    expect(shown).toMatchObject({ results: [{ output: expect.stringMatching(/^\[\{"id":0,"name":"row 0"\}/) }] });
    expect(shown.clipped).toEqual([{ path: 'results.0.output', bytes: bytesOf(rows) }]);
  });

  it('never cuts a character in two', () => {
    const shown = showRecord(results(`x${'💶'.repeat(1_000_000)}`)) as { results?: { output: string }[] };
    expect(shown.results?.[0]?.output.isWellFormed()).toBe(true);
  });

  it('shows less of each when there are many', () => {
    const shown = showRecord(results(...Array.from({ length: 200 }, () => 'y'.repeat(50_000))));
    expect(bytesOf(shown)).toBeLessThan(MAX_SHOWN_BYTES + 20_000);
    expect(shown.clipped).toHaveLength(200);
  });

  it('keeps the shape of every record', () => {
    const long = 'z'.repeat(3_000_000);
    const call = { index: 0, providerId: 'c', tool: 't', input: { long }, inputHash: 'h', class: 'once' } as const;
    const records: RunRecord[] = [
      { ...head, type: 'task', agent: 'a', input: { long } },
      { ...head, type: 'user', messages: [{ id: 'm', text: long, at: 0 }] },
      {
        ...head,
        type: 'reply',
        text: long,
        content: [{ type: 'text', text: long }],
        calls: [call],
        finish: 'calls',
        usage: { inputTokens: 1, outputTokens: 1 },
        model: 'm',
        ms: 1,
        attempts: 1,
      },
      {
        ...head,
        type: 'ask',
        kind: 'question',
        reason: 'r',
        questions: [{ kind: 'question', input: { long }, text: long, choices: ['result'] }],
      },
      { ...head, type: 'answer', ask: 2, by: 'Ada', via: 'API', answers: [{ decision: 'result', output: { long } }] },
      { ...head, type: 'end', status: 'completed', reason: 'final-reply', text: long },
    ];
    for (const record of records) {
      const shown = showRecord(record);
      expect(shownRecord.parse(shown)).toEqual(shown);
      expect(bytesOf(shown)).toBeLessThan(MAX_SHOWN_BYTES);
      expect(shown.clipped?.length).toBeGreaterThan(0);
    }
  });
});
