import { getRun, setField, startSegment } from './run.ts';

const ENDED = ['completed', 'failed', 'cancelled'];

export async function handler({ runId, source }: { runId: string; source: string }) {
  const { recovered, segment, status, offset, askedAt = offset } = await getRun(runId);
  await setField(runId, 'recovered', [...recovered, source]);
  if (ENDED.includes(status)) return;
  if (source === 'host') await setField(runId, 'offset', askedAt);
  await setField(runId, 'segment', segment + 1);
  await startSegment(runId, segment + 1);
}
