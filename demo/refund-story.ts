import type { RunRecord } from '../shared/record.ts';
import { kill9 } from './host-process.ts';
import { followRun, type Stage } from './stage.ts';
import { until } from './until.ts';

/** A refund desk that is killed twice, each time between a payment and its record. */
export async function refundStory(stage: Stage): Promise<void> {
  const { provider, say, check } = stage;
  say('A customer wants money back for two orders. From now on the provider books, and keeps its responses back.');
  await provider.hold(true);
  const input = { customer: 'Ada Martin', request: 'The lamp (A-1001) and the desk (A-1002) arrived damaged.' };
  const { runId } = await stage.host().client.start({ agent: 'refund-desk', input }, 'refund-story');
  const told = followRun(stage, runId, true);
  told.catch(() => {}); // It is awaited below; until then a failure elsewhere comes first.

  await consent(stage, runId);
  await crashWorker(stage);
  await crashHost(stage);
  const { run, log } = await told;

  say('What the provider says:');
  const orders = refunds(stage).map(({ details }) => details.orderId);
  for (const booking of provider.ledger()) console.log(`   ${JSON.stringify(booking)}`);
  const { dedupes } = await provider.counts();
  check(`the run is completed (${run.status})`, run.status === 'completed');
  check(`each order was paid back once (${orders.join(', ')})`, orders.length === 2 && new Set(orders).size === 2);
  check(`although a refund was requested ${dedupes} times`, dedupes >= 4);
  check('the customer got one mail', provider.ledger().filter(({ kind }) => kind === 'mail').length === 1);
  check('every call has exactly one result', pairs(log));
}

const refunds = ({ provider }: Stage) => provider.ledger().filter(({ kind }) => kind === 'refund');

/** The provider has booked so many refunds, and keeps the response to the last of them back. */
const booked = (stage: Stage, count: number) =>
  until(`refund ${count} is booked`, async () =>
    refunds(stage).length === count && (await stage.provider.counts()).kept > 0 ? true : undefined,
  );

async function consent({ host, say }: Stage, runId: string): Promise<void> {
  const { client } = host();
  const ask = await until('the run asks for consent', async () => (await client.records(runId, { limit: 1 })).run.ask);
  say('The large refund needs consent. A person says yes, with another request.');
  await client.answer(ask.id, { by: 'the demonstration', decision: 'approve' });
}

async function crashWorker(stage: Stage): Promise<void> {
  await booked(stage, 1);
  const pids = await stage.host().toolWorkers();
  for (const pid of pids) kill9(pid);
  stage.say(`Refund 1 is booked, and nobody here knows it yet: kill -9 ${pids.join(' ')} (the process that runs the tool).`);
}

async function crashHost(stage: Stage): Promise<void> {
  await booked(stage, 2);
  const { pid } = stage.host();
  const count = await stage.host().kill();
  stage.say(`Refund 1 was tried again and not booked again. Refund 2 is booked: kill -9 ${pid} (the whole service, ${count} processes).`);
  await stage.provider.hold(false);
  await stage.restart();
  stage.say(`The service was started again, as process ${stage.host().pid}. Nobody told it what to go on with.`);
}

/** Every call of every reply is answered once. */
function pairs(log: readonly RunRecord[]): boolean {
  const results = log.flatMap((record) => (record.type === 'results' ? record.results.map(({ index }) => `${record.reply}/${index}`) : []));
  const calls = log.flatMap((record) => (record.type === 'reply' ? record.calls.map(({ index }) => `${record.seq}/${index}`) : []));
  return calls.length > 0 && JSON.stringify(calls) === JSON.stringify(results);
}
