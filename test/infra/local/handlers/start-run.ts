import { answer, putRun, startSegment } from './run.ts';

export async function handler({ body }: { body: string }) {
  const { runId, script } = JSON.parse(body);
  await putRun({ runId, script, status: 'running', segment: 1, offset: 0, recovered: [] });
  await startSegment(runId, 1);
  return answer(202, { runId });
}
