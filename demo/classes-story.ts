import { tableLines } from '../cli/output.ts';
import { type EffectClass, effectClass } from '../shared/record.ts';
import { kill9 } from './host-process.ts';
import type { Counts } from './provider.ts';
import { followRun, type Stage, type Told } from './stage.ts';
import { until } from './until.ts';

/** Four runs make the same payment, one under each effect class, and die at the same point. */
export async function classesStory(stage: Stage): Promise<void> {
  const { provider, say } = stage;
  say('The same crash under each of the four effect classes, side by side.');
  const before = await provider.counts();
  await provider.hold(true);
  const started = await Promise.all(effectClass.options.map((name) => startRun(stage, name)));
  await until('all four calls have reached the provider', async () =>
    (await provider.counts()).kept === started.length ? true : undefined,
  );
  const pids = await stage.host().toolWorkers();
  for (const pid of pids) kill9(pid);
  say(`All four did their work at the provider, and none has an answer: kill -9 ${pids.join(' ')}.`);
  await provider.hold(false);
  const person = answerUnknown(stage, started.find(({ name }) => name === 'once')?.runId ?? '');
  const told = await Promise.all(started.map(({ runId }) => followRun(stage, runId, false)));
  await person;
  const spent = difference(before, await provider.counts());
  const rows = started.map(({ name, runId }, i) => rowOf(name, runId, told[i] as Told, spent, stage));
  console.log();
  const headings = ['effect class', 'after the crash', 'times the effect happened', 'asked a person?'];
  console.log(
    tableLines(
      headings,
      rows.map((row) => row.cells),
      stage.paint,
    )
      .map((line) => `   ${line}`)
      .join('\n'),
  );
  console.log();
  for (const { name, holds, cells } of rows) stage.check(`${name}: ${cells[1]}`, holds);
}

async function startRun(stage: Stage, name: EffectClass): Promise<{ name: EffectClass; runId: string }> {
  const { runId } = await stage.host().client.start({ agent: 'four-classes', input: { class: name } }, `four-classes-${name}`);
  return { name, runId };
}

/** The person that a run asks when nobody else can know: it looks into the provider's ledger, then says what it saw. */
async function answerUnknown({ host, provider, say }: Stage, runId: string): Promise<void> {
  const { client } = host();
  const ask = await until('the outcome is asked for', async () => (await client.records(runId, { limit: 1 })).run.ask);
  const booking = provider.ledger().find(({ key }) => key?.startsWith(runId));
  say(`One run asks: ${ask.kind}. A person finds ${booking?.id ?? 'nothing'} in the provider's ledger and says so.`);
  const decision = booking ? 'done' : 'not-done';
  await client.answer(ask.id, { by: 'the demonstration', decision, ...(booking ? { output: { bookingId: booking.id } } : {}) });
}

const difference = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(Object.entries(after).map(([name, n]) => [name, n - before[name as keyof Counts]])) as Counts;

/** What each class promises after a crash, and how the provider's counts prove it. */
const PROMISES: Record<EffectClass, { says: string; happened: number; asks: boolean; proof: (counts: Counts) => boolean }> = {
  read: { says: 'was run again', happened: 0, asks: false, proof: ({ reads }) => reads === 2 },
  idempotent: {
    says: 'was run again with the same key, which the provider knew',
    happened: 1,
    asks: false,
    proof: ({ dedupes }) => dedupes === 2,
  },
  reconcile: {
    says: 'was asked about at the provider, and not run again',
    happened: 1,
    asks: false,
    proof: (c) => c.askable === 1 && c.asked === 1,
  },
  once: { says: 'was not run again: outcome unknown until a person said done', happened: 1, asks: true, proof: ({ plain }) => plain === 1 },
};

function rowOf(name: EffectClass, runId: string, { run, log }: Told, counts: Counts, { provider }: Stage) {
  const { says, happened, asks, proof } = PROMISES[name];
  const times = provider.ledger().filter(({ key }) => key?.startsWith(runId)).length;
  const asked = log.some(({ type }) => type === 'ask');
  const holds = run.status === 'completed' && times === happened && asked === asks && proof(counts);
  const what = proof(counts) ? says : `NOT as promised: ${JSON.stringify(counts)}`;
  return { name, holds, cells: [name, what, name === 'read' ? `${times} (it changes nothing)` : String(times), asked ? 'yes' : 'no'] };
}
