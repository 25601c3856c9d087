import type { Pin } from '../../shared/pin.ts';
import type { Answer, Ask, RunRecord } from '../../shared/record.ts';
import { answersOf, standings } from '../../shared/standing.ts';

/**
 * A log without what may differ between a run and its crashed twin: times, tries, questions about open outcomes, waits
 * for results that may have come before anybody waited, and how many in line were asked until one of them answered.
 */
export function shapeOf(given: readonly RunRecord[]): unknown[] {
  const records = withoutKeyedHashes(given);
  return records.flatMap((record) => {
    if (record.type === 'answer') return [];
    if (record.type !== 'ask') return [essence(record)];
    return record.kind === 'outcome-unknown' || record.kind === 'callback' || isPassedOver(records, record)
      ? []
      : [askEssence(records, record)];
  });
}

/** Which arguments of a tool that is not there are secret, nobody can say. */
const NO_TOOL = 'Not run: there is no tool';

/** The hash of arguments that may hold a secret is made with a key of the deployment: each has its own. */
function withoutKeyedHashes(records: readonly RunRecord[]): readonly RunRecord[] {
  const calls = records.flatMap((record) => (record.type === 'reply' ? record.calls : []));
  const keyed = calls.flatMap(({ secrets, invalid, inputHash }) => (secrets || invalid?.startsWith(NO_TOOL) ? [inputHash] : []));
  if (keyed.length === 0) return records;
  const unkeyed = keyed.reduce((text, hash) => text.replaceAll(hash, `keyed ${keyed.indexOf(hash)}`), JSON.stringify(records));
  return JSON.parse(unkeyed) as RunRecord[];
}

/** Whether somebody further down the line was asked in vain: on a slow machine the clock is there before the answer. */
const isPassedOver = (records: readonly RunRecord[], ask: Ask): boolean =>
  ask.reason === 'escalated' && records.some((record) => record.seq > ask.seq && record.type === 'ask' && record.reason === 'escalated');

/** What was asked and what came of it: several answers may come in any order. */
const askEssence = (records: readonly RunRecord[], ask: Ask): unknown => ({
  type: ask.type,
  kind: ask.kind,
  questions: standings(ask, answersOf(records, ask)).map(({ question: { expiresAt: _, approvers, escalateTo, ...question }, settled }) => ({
    ...question,
    ...(ask.reason === 'escalated' ? {} : { approvers, escalateTo }),
    answer: settled && { by: settled.by, ...settled.answer, pin: placeless(settled.answer.pin) },
  })),
});

/** A pin without the platform on which it was made. */
const placeless = (pin: Pin | undefined): unknown => pin && { ...pin, machine: undefined };

function essence(record: Exclude<RunRecord, Ask | Answer>): unknown {
  switch (record.type) {
    case 'reply':
      return { type: record.type, text: record.text, finish: record.finish, calls: record.calls };
    case 'results':
      return { type: record.type, results: record.results.map(({ index, ok, output }) => ({ index, ok, output })) };
    case 'user':
      return { type: record.type, texts: record.messages.map(({ text }) => text) };
    case 'task':
      return { type: record.type, input: record.input };
    case 'end':
      return { type: record.type, status: record.status, reason: record.reason, text: record.text };
  }
}

/** Returns what is wrong with a log by itself: a gap, or a reply whose calls are not answered once each before the next reply. */
export function faultsOf(records: readonly RunRecord[]): string[] {
  const faults = records.flatMap(({ seq }, i) => (seq === i + 1 ? [] : [`record ${seq} stands at place ${i + 1}`]));
  records.forEach((record, i) => {
    if (record.type !== 'reply' || record.calls.length === 0) return;
    const after = records.slice(i + 1).find(({ type }) => type === 'results' || type === 'reply' || type === 'end');
    if (after?.type === 'reply') faults.push(`reply ${record.seq} has no results before reply ${after.seq}`);
    if (after?.type === 'results' && after.results.some(({ index }, k) => index !== k))
      faults.push(`results ${after.seq} do not match the calls of reply ${record.seq}`);
    if (after?.type === 'results' && after.results.length !== record.calls.length)
      faults.push(`results ${after.seq} are not one for each call`);
  });
  return faults;
}
