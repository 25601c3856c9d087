import { getRun, setField, startSegment } from './run.ts';

const ENDED = ['completed', 'failed', 'cancelled'];

interface Event {
  source: string;
  runId?: string;
  detail?: { input: string };
}

/** Takes the events of the machine, the host and EventBridge. */
export async function handler({ source, detail, ...event }: Event) {
  const runId: string = event.runId ?? JSON.parse(detail?.input ?? '{}').runId;
  const { recovered, segment, status, offset, askedAt = offset } = await getRun(runId);
  await setField(runId, 'recovered', [...recovered, source]);
  if (ENDED.includes(status)) return;
  if (source === 'host') await setField(runId, 'offset', askedAt);
  await setField(runId, 'segment', segment + 1);
  await startSegment(runId, segment + 1);
}
