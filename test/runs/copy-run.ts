import { isDeepStrictEqual } from 'node:util';
import { ulid } from 'ulid';

/** A request that a function failed: it may be sent again. */
class FailedError extends Error {}

async function send<T>(url: string, body?: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.ok) return (await response.json()) as T;
  throw new (response.status < 500 ? Error : FailedError)(`${url} answered ${response.status}: ${await response.text()}`);
}

/** Does something again from its beginning, as a person would, until nothing fails on the way. */
async function again<T>(end: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FailedError) || Date.now() > end) throw error;
    }
  }
}

/**
 * Exports a run and reads it back under another id: in several requests, one of its lines in parts. What is read back is exported
 * once more, and must be the same. Returns the id.
 */
export async function copyRun(url: string, runId: string, end: number): Promise<string> {
  const copy = ulid();
  const lines = (await again(end, () => exported(url, runId))).map((line) => line.replaceAll(runId, copy));
  await again(end, () => importLines(`${url}/runs/${copy}/import`, lines));
  const read = await again(end, () => exported(url, copy));
  if (!isDeepStrictEqual(read, lines)) throw new Error(`Run ${copy} is not as it was exported: ${read.length} lines of ${lines.length}`);
  return copy;
}

async function exported(url: string, runId: string): Promise<string[]> {
  let text = '';
  for (let at: Record<string, string> | undefined = { at: 'meta', from: '0' }; at; ) {
    const piece: { text: string; next?: Record<string, string> } = await send(`${url}/runs/${runId}/export?${new URLSearchParams(at)}`);
    text += piece.text;
    at = piece.next;
  }
  return text.trimEnd().split('\n');
}

async function importLines(url: string, [meta = '', task = '', ...rest]: readonly string[]): Promise<void> {
  await send(url, { by: 'Ada', lines: [meta] });
  const parts: unknown[] = [];
  for (const part of [task.slice(0, 50), task.slice(50)])
    parts.push((await send<{ part: unknown }>(url, { part: Buffer.from(part).toString('base64') })).part);
  await send(url, { by: 'Ada', parts });
  await send(url, { by: 'Ada', lines: rest });
  await send(url, { by: 'Ada', lines: [], whole: true });
}
