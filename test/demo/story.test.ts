import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const STORY = fileURLToPath(new URL('../../demo/story.ts', import.meta.url));

it('the demonstration keeps every promise, and says so with its exit code', { timeout: 120_000 }, async () => {
  const { code, out } = await new Promise<{ code: number; out: string }>((resolve) => {
    execFile(process.execPath, [STORY], (error, stdout) => resolve({ code: error ? Number(error.code) : 0, out: stdout }));
  });
  expect(out).not.toContain('NOT SO');
  expect(code).toBe(0);
  for (const line of [/read\s+was run again/, /idempotent\s.*1 +no/, /reconcile\s.*1 +no/, /once\s.*1 +yes/]) expect(out).toMatch(line);
});
