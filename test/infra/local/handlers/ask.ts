import { setField } from './run.ts';

export const handler = async ({ runId, token }: { runId: string; token: string }) => void (await setField(runId, 'token', token));
