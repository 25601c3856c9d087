import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { asked } from '../../shared/budget.ts';
import { askId } from '../../shared/tables.ts';
import { holdfast } from './command.ts';
import { type FakeRun, type FakeService, refuse, startFakeService } from './fake-service.ts';
import { endedRun, RUN_ID, reply, summary, task, waitingRun } from './sample-run.ts';

const services: FakeService[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function serve(...runs: FakeRun[]): Promise<FakeService> {
  const service = await startFakeService(runs);
  services.push(service);
  return service;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'cli-'));
  folders.push(made);
  return made;
}

describe('holdfast run', () => {
  it('sends text that is a JSON object as JSON and shows the run to its end', async () => {
    const service = await serve(endedRun());
    const { code, out } = await holdfast(service.url, ['run', 'desk', '--input', '{"order":"A-1"}']);
    expect(service.requests[0]?.body).toEqual({ agent: 'desk', input: { order: 'A-1' } });
    expect(out).toContain(RUN_ID);
    expect(out).toContain('completed (final-reply)');
    expect(code).toBe(0);
  });

  it('sends all else as text, and says so when it only looks like JSON', async () => {
    const service = await serve(endedRun());
    expect((await holdfast(service.url, ['run', 'desk', 'refund A-1'])).err).toBe('');
    expect((await holdfast(service.url, ['run', 'desk', '{order: 1}'])).err).toContain('sent as text');
    await holdfast(service.url, ['run', 'desk', '--input', '12']);
    expect(service.requests.filter(({ method }) => method === 'POST').map(({ body }) => (body as { input: unknown }).input)).toEqual([
      'refund A-1',
      '{order: 1}',
      '12',
    ]);
  });

  it('reads the input from standard input and from a file', async () => {
    const service = await serve(endedRun());
    const file = join(folder(), 'input.json');
    writeFileSync(file, '\ufeff[1, 2]');
    await holdfast(service.url, ['run', 'desk', '-', '--no-watch'], { stdin: 'from a pipe' });
    await holdfast(service.url, ['run', 'desk', '--file', file, '--no-watch']);
    expect(service.requests.map(({ body }) => (body as { input: unknown }).input)).toEqual(['from a pipe', [1, 2]]);
  });

  it('passes the idempotency key on, and makes one when none is given', async () => {
    const service = await serve(endedRun());
    await holdfast(service.url, ['run', 'desk', 'x', '--no-watch', '--key', 'k1']);
    await holdfast(service.url, ['run', 'desk', 'x', '--no-watch']);
    expect(service.requests[0]?.key).toBe('k1');
    expect(service.requests[1]?.key).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('ends with 1 when the run failed or was cancelled', async () => {
    for (const status of ['failed', 'cancelled'] as const) {
      const service = await serve(endedRun(status));
      expect((await holdfast(service.url, ['run', 'desk', 'x'])).code).toBe(1);
    }
  });

  it('ends with 4 and says how to answer when the run waits and nobody looks', async () => {
    const service = await serve(waitingRun());
    const { code, out } = await holdfast(service.url, ['run', 'desk', 'x']);
    expect(code).toBe(4);
    expect(out).toContain(`npx holdfast answer ${askId(RUN_ID, 3)} --yes | --no`);
  });

  it('prints one line of JSON for the start, each record and the run', async () => {
    const service = await serve(endedRun());
    const { out } = await holdfast(service.url, ['run', 'desk', 'x', '--json']);
    const lines = out.trim().split('\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line))[0])).toEqual(['started', 'record', 'record', 'record', 'run']);
  });

  it('refuses no input, two inputs, an unreadable file, bytes that are no text and too much', async () => {
    const service = await serve(endedRun());
    const binary = join(folder(), 'binary');
    writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x00]));
    const wrong = [[], ['a', '--input', 'b'], ['--file', '/nowhere/x'], ['--file', binary], ['x'.repeat(2_400_001)]];
    for (const args of wrong) {
      const { code, err } = await holdfast(service.url, ['run', 'desk', ...args]);
      expect([code, err.trim().split('\n').length]).toEqual([2, 1]);
    }
    expect(service.requests).toEqual([]);
  });

  it('shows what the service refused, with the field, and ends with 1', async () => {
    const service = await serve(endedRun());
    const { code, err, out } = await holdfast(service.url, ['run', 'nobody', 'x', '--json']);
    expect(code).toBe(1);
    expect(err).toBe('There is no agent "nobody" (field: agent)\n');
    expect(JSON.parse(out).error.problem.status).toBe(404);
  });

  it('names the key that makes a repeat safe when the connection breaks', async () => {
    const service = await serve(endedRun());
    service.instead.set('POST /runs', (response) => response.destroy());
    const { code, err } = await holdfast(service.url, ['run', 'desk', 'x', '--key', 'k7']);
    expect(code).toBe(3);
    expect(err).toContain('--key k7');
  });
});

describe('holdfast ls, show, asks, agents', () => {
  it('lists runs, and passes filters on', async () => {
    const service = await serve(endedRun());
    const { out } = await holdfast(service.url, ['ls', '--status', 'completed', '--agent', 'desk', '--limit', '5', '--before', 'b']);
    expect(out).toMatch(new RegExp(`${RUN_ID}\\s+desk\\s+completed`));
    expect(service.requests[0]?.query).toEqual({ status: 'completed', agent: 'desk', limit: '5', before: 'b' });
  });

  it('shows a run by a unique end of its id', async () => {
    const service = await serve(endedRun());
    const { code, out } = await holdfast(service.url, ['show', '00aa']);
    expect(code).toBe(0);
    expect(out).toContain('All paid.');
  });

  it('refuses an end that two runs share, or none has', async () => {
    const service = await serve(endedRun(), { ...endedRun(), summary: summary({ runId: '01JDZ0000000000000000001AA' }) });
    expect((await holdfast(service.url, ['show', '01JDZ'])).err).toContain('2 runs are named so');
    expect((await holdfast(service.url, ['show', 'ZZZZ'])).code).toBe(2);
    expect((await holdfast(service.url, ['show', 'Z'])).err).toContain('at least 4 characters');
  });

  it('reads every page of a long log', async () => {
    const run = endedRun();
    const many = Array.from({ length: 250 }, (_, i) => ({ ...run.records[1], seq: i + 2 }) as FakeRun['records'][number]);
    const service = await serve({ ...run, records: [run.records[0] as FakeRun['records'][number], ...many] });
    const { out } = await holdfast(service.url, ['show', RUN_ID, '--json']);
    expect(JSON.parse(out).records).toHaveLength(251);
  });

  it('keeps the data in JSON unchanged, and no character of it moves a terminal', async () => {
    const run = endedRun();
    const text = 'a\u001b[2J\u009b5m\u202eb\u{e0041}\u2028';
    const service = await serve({ ...run, summary: summary({ reason: text }) });
    const { out } = await holdfast(service.url, ['ls', '--json']);
    expect(JSON.parse(out).runs[0].reason).toBe(text);
    expect(out).toMatch(/^[\n\x20-\x7e]*$/);
  });

  it('lists open asks with their questions, and agents with the class of each tool', async () => {
    const service = await serve(waitingRun());
    expect((await holdfast(service.url, ['asks'])).out).toContain('May it pay?');
    expect((await holdfast(service.url, ['agents'])).out).toMatch(/look\s+read/);
  });
});

describe('holdfast asks, page by page', () => {
  it('says how to see the next', async () => {
    const [older, newer] = [waitingRun(), waitingRun()];
    const run = {
      ...newer,
      summary: {
        ...newer.summary,
        runId: '01JDZ9000000000000000000ZZ',
        ask: { id: askId('01JDZ9000000000000000000ZZ', 3), kind: 'approval' as const },
      },
    };
    const service = await serve(run, older);
    const { out } = await holdfast(service.url, ['asks', '--limit', '1']);
    expect(out).toContain(`more: npx holdfast asks --before ${run.summary.runId}`);
    expect(out).not.toContain(RUN_ID);
    const rest = await holdfast(service.url, ['asks', '--before', run.summary.runId]);
    expect([rest.out.includes(RUN_ID), rest.out.includes('more:')]).toEqual([RUN_ID < run.summary.runId, false]);
    expect((await holdfast(service.url, ['asks', '--json', '--limit', '1'])).out).toContain('"next"');
  });
});

describe('holdfast notify, revoke', () => {
  it('says who is told, by ask or by run, and what came of it', async () => {
    const service = await serve(waitingRun());
    const { code, out } = await holdfast(service.url, ['notify', RUN_ID, '--to', 'webhook:ops', '--by', 'kim']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^webhook:ops: sent \S+ ago, as kim asked\n$/)]);
    expect(service.requests.at(-1)).toMatchObject({ path: `/asks/${askId(RUN_ID, 3)}/notices`, body: { to: 'webhook:ops', by: 'kim' } });
    await holdfast(service.url, ['revoke', askId(RUN_ID, 3), '--to', 'ada@example.test', '--by', 'kim']);
    const { path, body } = service.requests.at(-1) ?? {};
    expect([path, body]).toEqual([`/asks/${askId(RUN_ID, 3)}/notices/revoke`, { to: 'ada@example.test', by: 'kim' }]);
  });

  it('wants to know whom, and an ask', async () => {
    const service = await serve(endedRun());
    expect(await holdfast(service.url, ['notify', RUN_ID])).toMatchObject({ code: 2, err: expect.stringContaining('--to') });
    expect((await holdfast(service.url, ['notify', RUN_ID, '--to', 'a@b.test'])).err).toContain('Cannot notify run');
    expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('is seen with the open asks: sent, failed, taken back, still to be sent', async () => {
    const { out } = await holdfast((await serve(waitingRun())).url, ['asks']);
    for (const line of [
      /^ {2}ada@example\.test: sent \S+ ago$/m,
      /^ {2}bob@example\.test: not reached: No such user; next try in \S+$/m,
      /^ {2}cyd@example\.test: not reached: bounced: gone; not tried again$/m,
      /^ {2}webhook:ops: its link was taken back by kim \S+ ago$/m,
      /^ {2}dan@example\.test: to be sent$/m,
    ])
      expect(out).toMatch(line);
  });
});

describe('holdfast budget', () => {
  const limits = { turns: 50, seconds: 3600, tokens: 1_000, costUsd: 2 };
  const totals = { ...summary().totals, costUsd: 0.5, activeMs: 60_000 };

  it('shows what is spent of each budget that is limited', async () => {
    const run = { ...endedRun(), summary: summary({ status: 'running', limits, totals, costUsd: 0.5 }) };
    const service = await serve(run);
    const { out, code } = await holdfast(service.url, ['budget', RUN_ID]);
    expect([code, out.trim().split('\n')]).toEqual([
      0,
      ['1 of 50 turns', '1m00s of 1h00m at work', '15 of 1000 tokens', '$0.5000 of $2.00', 'about $0.5000'],
    ]);
    expect((await holdfast(service.url, ['show', RUN_ID])).out).toContain('1 of 50 turns, 1m00s of 1h00m at work');
  });

  it('raises them, in the name of who does it', async () => {
    const service = await serve(endedRun());
    const args = ['--raise', 'turns=5', '--raise', 'cost=0.5', '--message', 'On you go', '--by', 'kim'];
    expect((await holdfast(service.url, ['budget', RUN_ID, ...args])).code).toBe(0);
    const sent = service.requests.find(({ method }) => method === 'POST');
    expect(sent).toMatchObject({
      path: `/runs/${RUN_ID}/budget`,
      body: { raise: { turns: 5, costUsd: 0.5 }, by: 'kim', text: 'On you go' },
    });
  });

  it('sends nothing when what is to be raised makes no sense', async () => {
    const service = await serve(endedRun());
    for (const args of [
      ['--raise', 'money=5'],
      ['--raise', 'turns'],
      ['--raise', 'turns=-1'],
      ['--raise', 'turns=1', '--raise', 'turns=2'],
      ['--message', 'x'],
    ])
      expect((await holdfast(service.url, ['budget', RUN_ID, ...args])).code).toBe(2);
    expect(service.requests.some(({ method }) => method === 'POST')).toBe(false);
  });
});

describe('holdfast answer', () => {
  const bodyOf = (service: FakeService) => service.requests.findLast(({ method }) => method === 'POST')?.body;

  it('takes --yes for approve and --no for deny, by ask or by run', async () => {
    const service = await serve(waitingRun());
    expect((await holdfast(service.url, ['answer', askId(RUN_ID, 3), '--yes', '--by', 'kim'])).code).toBe(0);
    expect(bodyOf(service)).toEqual({ by: 'kim', decision: 'approve' });
    await holdfast(service.url, ['answer', RUN_ID, '--no', '--by', 'kim', '--comment', 'too much']);
    expect(bodyOf(service)).toEqual({ by: 'kim', decision: 'deny', comment: 'too much' });
  });

  it('takes --yes for done when the outcome is unknown, with the result that is vouched for', async () => {
    const question = { kind: 'outcome-unknown', index: 0, text: 'Was it done?', choices: ['done', 'not-done', 'abort'] } as const;
    const service = await serve(waitingRun({ kind: 'outcome-unknown', questions: [{ ...question, choices: [...question.choices] }] }));
    await holdfast(service.url, ['answer', RUN_ID, '--yes', '--by', 'kim', '--output', '{"id":7}']);
    expect(bodyOf(service)).toEqual({ by: 'kim', decision: 'done', output: { id: 7 } });
  });

  it('answers each call by itself', async () => {
    const service = await serve(waitingRun());
    await holdfast(service.url, ['answer', RUN_ID, '--by', 'kim', '--call', '0=approve', '--call', '1', '--no']);
    expect(bodyOf(service)).toEqual({
      by: 'kim',
      answers: [
        { index: 0, decision: 'approve' },
        { index: 1, decision: 'deny' },
      ],
    });
  });

  it('answers a question with a text, and consents to other arguments', async () => {
    const question = { kind: 'question', index: 0, text: 'Which colour?', options: ['red', '42'] } as const;
    const asked = await serve(
      waitingRun({ kind: 'question', questions: [{ ...question, options: [...question.options], choices: ['result', 'skip', 'abort'] }] }),
    );
    await holdfast(asked.url, ['answer', RUN_ID, '--by', 'kim', '--answer', '42']);
    expect(bodyOf(asked)).toEqual({ by: 'kim', decision: 'result', output: '42' });
    const service = await serve(waitingRun());
    await holdfast(service.url, ['answer', RUN_ID, '--by', 'kim', '--call', '0', '--yes', '--input', '{"cents":5}']);
    expect(bodyOf(service)).toEqual({ by: 'kim', answers: [{ index: 0, decision: 'approve', input: { cents: 5 } }] });
  });

  it('raises a limit that is reached by an amount', async () => {
    const draft = asked('turn-limit', 'turns', { spent: 5, step: 1, limit: 5 });
    const service = await serve(waitingRun({ kind: 'escalation', reason: 'turn-limit', questions: draft.questions }));
    await holdfast(service.url, ['answer', RUN_ID, '--by', 'kim', '--raise', '20']);
    expect(bodyOf(service)).toEqual({ by: 'kim', decision: 'raise', amount: 20 });
    await holdfast(service.url, ['answer', RUN_ID, '--by', 'kim', '--decision', 'finish']);
    expect(bodyOf(service)).toEqual({ by: 'kim', decision: 'finish' });
    expect((await holdfast(service.url, ['show', RUN_ID])).out).toContain('raise by 5 unless you say another amount, from 1 to 50');
    for (const args of [['--raise', 'lots'], ['--raise', '0'], ['--raise', '5', '--yes'], ['--yes']])
      expect((await holdfast(service.url, ['answer', RUN_ID, ...args])).code).toBe(2);
  });

  it('sends nothing when nothing, or nothing that fits, is said', async () => {
    const service = await serve(waitingRun());
    const wrong = [
      [],
      ['--decision', 'retry'],
      ['--call', '7=approve'],
      ['--call', '0=maybe'],
      ['--yes', '--no'],
      ['--yes', '--output', '{'],
    ];
    for (const args of wrong) expect((await holdfast(service.url, ['answer', RUN_ID, ...args])).code).toBe(2);
    expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('says so when the run asks nothing, or there is no such ask', async () => {
    const service = await serve(endedRun());
    expect((await holdfast(service.url, ['answer', RUN_ID, '--yes'])).err).toContain('it is completed and asks nothing');
    expect((await holdfast(service.url, ['answer', askId(RUN_ID, 2), '--yes'])).err).toContain('no such ask');
  });

  it('shows a refusal of the service, as for a second answer', async () => {
    const service = await serve(waitingRun());
    service.instead.set(`POST /asks/${askId(RUN_ID, 3)}/answer`, (response) => refuse(response, 409, 'The ask is answered already'));
    expect(await holdfast(service.url, ['answer', RUN_ID, '--yes'])).toMatchObject({ code: 1, err: 'The ask is answered already\n' });
  });
});

describe('holdfast message, cancel, resume', () => {
  it('sends what was said, and who said it', async () => {
    const service = await serve(endedRun());
    await holdfast(service.url, ['message', RUN_ID, 'please', 'hurry']);
    await holdfast(service.url, ['cancel', RUN_ID, '--by', 'kim']);
    await holdfast(service.url, ['resume', RUN_ID, '--by', 'lee']);
    expect(service.requests.map(({ path, body }) => [path.split('/')[3], body])).toEqual([
      ['messages', { text: 'please hurry' }],
      ['cancel', { by: 'kim' }],
      ['resume', { by: 'lee' }],
    ]);
  });
});

describe('holdfast restart, fork', () => {
  it('says what the new run is, and where it comes from', async () => {
    const service = await serve(endedRun());
    const restarted = await holdfast(service.url, ['restart', RUN_ID, '--by', 'kim']);
    expect(restarted).toMatchObject({ code: 0, out: expect.stringContaining(`starts ${RUN_ID} over (by kim)`) });
    const forked = await holdfast(service.url, ['fork', RUN_ID, '--at', '3', '--message', 'try again', '--by', 'lee', '--key', 'k1']);
    expect(forked).toMatchObject({ code: 0, out: expect.stringContaining(`branches off from ${RUN_ID} after #3 (by lee)`) });
    expect(service.requests.map(({ path, body, key }) => [path.split('/')[3], body, key])).toEqual([
      ['restart', { by: 'kim' }, undefined],
      ['fork', { at: 3, by: 'lee', message: 'try again' }, 'k1'],
    ]);
  });

  it('needs the number of a record to branch off after', async () => {
    expect((await holdfast('http://127.0.0.1:9', ['fork', RUN_ID])).code).toBe(2);
    expect((await holdfast('http://127.0.0.1:9', ['fork', RUN_ID, '--at', 'last'])).code).toBe(2);
  });

  it('is shown both ways', async () => {
    const run = endedRun();
    const service = await serve({
      ...run,
      summary: { ...run.summary, parent: { runId: OTHER, kind: 'fork', at: 4, by: 'kim' }, children: [LATER, FORK], restartedAs: LATER },
    });
    const { out } = await holdfast(service.url, ['show', RUN_ID]);
    expect(out).toContain(`branches off from ${OTHER} after #4 (by kim)`);
    expect(out).toContain(`started over as ${LATER}`);
    expect(out).toMatch(new RegExp(`forks +${FORK}\\n`));
    expect((await holdfast(service.url, ['ls'])).out).toContain(`(fork of ${OTHER})`);
  });
});

const [OTHER, LATER, FORK] = ['01JZ00000000000000000000P1', '01JZ00000000000000000000R1', '01JZ00000000000000000000F1'];

describe('the address of the service', () => {
  it('is --url, else HOLDFAST_URL, else that of the service started in this folder', async () => {
    const service = await serve(endedRun());
    const cwd = folder();
    mkdirSync(join(cwd, '.holdfast', 'data'), { recursive: true });
    writeFileSync(join(cwd, '.holdfast', 'data', 'host.json'), JSON.stringify({ url: service.url, pid: 1 }));
    const dead = 'http://127.0.0.1:9';
    expect((await holdfast('', ['ls'], { cwd })).code).toBe(0);
    expect((await holdfast(service.url, ['ls'])).code).toBe(0);
    expect((await holdfast(dead, ['ls', '--url', service.url], { cwd })).code).toBe(0);
    expect((await holdfast(dead, ['ls'], { cwd })).code).toBe(3);
  });

  it('is refused when it is none, and a user name in it is not shown', async () => {
    const { code, err } = await holdfast('http://me:hunter2@example.com', ['ls']);
    expect(code).toBe(2);
    expect(err).not.toContain('hunter2');
  });

  it('is reported in one sentence when something else listens there', async () => {
    const service = await serve();
    service.instead.set('GET /runs', (response) => void response.end('<html>hello'));
    expect(await holdfast(service.url, ['ls'])).toMatchObject({ code: 1, err: expect.stringContaining('hardly a Holdfast service') });
    service.instead.set('GET /runs', (response) => void response.end('{"runs": 1}'));
    expect(await holdfast(service.url, ['ls'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('runs is not as this version knows it'),
    });
  });
});

describe('holdfast summaries', () => {
  it('shows what stands in place of older records, and what it cost', async () => {
    const service = await serve(endedRun());
    const { out, code } = await holdfast(service.url, ['summaries', RUN_ID]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /records 2 to 9 thrown away by kim\n {2}version 1, \dm\d\ds ago by scripted\/desk; 900 in, 80 out tokens, cost unknown; about 60 tokens in place of 700\nrecords 2 to 21/,
    );
    expect(out).toMatch(
      /records 2 to 21 in use\n.*\n {2}What was done up to 21\.\n {2}And more\..*\n\n {2}Your plan, as you set it last:\n {2}\[ \] pay/,
    );
    expect(out).not.toContain('\u001b');
    expect(JSON.parse((await holdfast(service.url, ['summaries', RUN_ID, '--json'])).out).summaries).toHaveLength(2);
  });

  it('writes out the one that is named in place of the one in use', async () => {
    const service = await serve(endedRun());
    const { out } = await holdfast(service.url, ['summaries', RUN_ID, '--show', '9']);
    expect(out).toContain('What was done up to 9.');
    expect(out).not.toContain('What was done up to 21.');
    const shown = JSON.parse((await holdfast(service.url, ['summaries', RUN_ID, '--show', '9', '--json'])).out).summaries;
    expect(shown).toMatchObject([{ seq: 9 }]);
    expect(await holdfast(service.url, ['summaries', RUN_ID, '--show', '10'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Cannot show the summary up to record 10'),
    });
  });

  it('asks for older ones until there are none', async () => {
    const service = await serve(endedRun());
    const page = JSON.parse((await holdfast(service.url, ['summaries', RUN_ID, '--json'])).out);
    service.requests.length = 0;
    service.instead.set(`GET /runs/${RUN_ID}/summaries`, (response) =>
      response.end(JSON.stringify({ run: endedRun().summary, summaries: page.summaries.slice(1), before: 21 })),
    );
    const all = JSON.parse((await holdfast(service.url, ['summaries', RUN_ID, '--json'])).out).summaries;
    expect(service.requests.map(({ query }) => query)).toEqual([{}, { before: '21' }]);
    expect(all.map(({ seq }: { seq: number }) => seq)).toEqual([9, 21, 21]);
  });

  it('throws one away, or has it made again', async () => {
    const service = await serve(endedRun());
    const { out } = await holdfast(service.url, ['summaries', RUN_ID, '--discard', '21', '--by', 'lee']);
    expect(out).toContain('the summary up to record 21 is thrown away; no record has changed');
    await holdfast(service.url, ['summaries', RUN_ID, '--remake', '21', '--by', 'lee']);
    expect(service.requests.map(({ path, body }) => [path.split('/').slice(3).join('/'), body])).toEqual([
      ['summaries/21/discard', { by: 'lee' }],
      ['summaries/21/remake', { by: 'lee' }],
    ]);
  });

  it('refuses what is no number of a record, and both at once', async () => {
    const service = await serve(endedRun());
    expect((await holdfast(service.url, ['summaries', RUN_ID, '--discard', 'x'])).code).toBe(2);
    expect((await holdfast(service.url, ['summaries', RUN_ID, '--discard', '1', '--remake', '1'])).code).toBe(2);
    expect(service.requests).toEqual([]);
  });
});

it('holdfast show has the plan of the agent, as it set it last', async () => {
  const items = [
    { text: 'look', status: 'done' },
    { text: 'pay\u001b[31m', status: 'open' },
  ];
  const plan = { index: 0, providerId: 'c', tool: 'set_plan', input: { items }, inputHash: 'h', class: 'read' as const };
  const ended = endedRun();
  const service = await serve({ ...ended, records: [task(), reply(2, [plan]), ...ended.records.slice(2)] });
  expect((await holdfast(service.url, ['show', RUN_ID])).out).toMatch(/\nplan\n {2}\[x\] look\n {2}\[ \] pay.*\n/);
});
