/**
 * Each Lambda function: its file's name in `lambdas/` and its limits. The one list for cloud and local runner. Where the log of
 * a run is read there is 1 GB of memory: one of 200 MB was measured to take 700 MB, and 1.2 GB where 50 MB of outputs are added.
 */
export const FUNCTIONS = {
  'start-run': { timeoutSeconds: 15, memoryMb: 512 },
  'model-step': { timeoutSeconds: 600, memoryMb: 1024 },
  'tool-step': { timeoutSeconds: 900, memoryMb: 2048 },
  ask: { timeoutSeconds: 30, memoryMb: 1024 },
  answer: { timeoutSeconds: 15, memoryMb: 1024 },
  recover: { timeoutSeconds: 60, memoryMb: 1024 },
  'read-runs': { timeoutSeconds: 29, memoryMb: 1024 },
  'steer-run': { timeoutSeconds: 15, memoryMb: 1024 },
  'ask-page': { timeoutSeconds: 15, memoryMb: 1024 },
  'erase-run': { timeoutSeconds: 29, memoryMb: 512 },
  'import-run': { timeoutSeconds: 29, memoryMb: 512 },
  callback: { timeoutSeconds: 15, memoryMb: 1024 },
  sweep: { timeoutSeconds: 60, memoryMb: 1024 },
  'mail-event': { timeoutSeconds: 15, memoryMb: 512 },
} as const satisfies Record<string, { timeoutSeconds: number; memoryMb: number }>;
export type FunctionName = keyof typeof FUNCTIONS;

/** The functions that the state machine invokes: they carry runs forward, each run by the version that it is pinned to. */
export const CARRIERS = ['model-step', 'tool-step', 'ask', 'recover'] as const satisfies readonly FunctionName[];

/** Each HTTP route and the function that answers it, in API Gateway's notation. */
export const ROUTES = {
  'POST /runs': 'start-run',
  'GET /runs': 'read-runs',
  'GET /runs/{id}': 'read-runs',
  'GET /runs/{id}/records': 'read-runs',
  'GET /runs/{id}/summaries': 'read-runs',
  'GET /runs/{id}/files/{sha256}': 'read-runs',
  'GET /runs/{id}/records/{seq}': 'read-runs',
  'GET /runs/{id}/export': 'read-runs',
  'POST /runs/{id}/import': 'import-run',
  'GET /agents': 'read-runs',
  'GET /asks': 'read-runs',
  'POST /runs/{id}/messages': 'steer-run',
  'POST /runs/{id}/cancel': 'steer-run',
  'POST /runs/{id}/resume': 'steer-run',
  'POST /runs/{id}/repin': 'steer-run',
  'GET /runs/{id}/pin': 'read-runs',
  'POST /runs/{id}/restart': 'steer-run',
  'POST /runs/{id}/fork': 'steer-run',
  'POST /runs/{id}/summaries/{seq}/discard': 'steer-run',
  'POST /runs/{id}/summaries/{seq}/remake': 'steer-run',
  'POST /runs/{id}/budget': 'steer-run',
  'DELETE /runs/{id}': 'erase-run',
  'POST /asks/{id}/answer': 'answer',
  'POST /asks/{id}/notices': 'steer-run',
  'POST /asks/{id}/notices/revoke': 'steer-run',
  'GET /a/{id}': 'ask-page',
  'HEAD /a/{id}': 'ask-page',
  'POST /a/{id}': 'ask-page',
  'POST /c/{id}': 'callback',
  'GET /inbox': 'ask-page',
  'GET /inbox/{id}': 'ask-page',
  'POST /inbox/{id}': 'ask-page',
} as const satisfies Record<string, FunctionName>;
export type Route = keyof typeof ROUTES;

/** A tool's own limit may not be longer than this, s: the function's limit less time to record the outcome. */
export const MAX_CALL_SECONDS = FUNCTIONS['tool-step'].timeoutSeconds - 30;
/** A Task's TimeoutSeconds exceeds its function's by this, so that a timed-out Task leaves no orphan behind. */
export const TASK_MARGIN_SECONDS = 30;
