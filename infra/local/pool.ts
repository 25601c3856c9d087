import { startWorker, type Worker, type WorkerOptions } from './worker-process.ts';

/** The processes of one function. */
export interface Pool {
  /** Runs the function on one event: at once while fewer than the maximum are at work, else when one is free. */
  invoke(event: unknown): Promise<string>;
  workers(): readonly Worker[];
  /** Lets events in flight finish for some time, then ends all processes. Nothing is served afterwards. */
  stop(graceMs: number): Promise<void>;
}

/** Serves a function with at most `size` processes. They are started on demand and kept. */
export function createPool(options: WorkerOptions, size: number): Pool {
  const workers = new Set<Worker>();
  const queue: ((worker: Worker) => void)[] = [];
  let stopped = false;

  function add(): Worker {
    const worker = startWorker(options);
    workers.add(worker);
    void worker.gone.then(() => workers.delete(worker));
    return worker;
  }

  function take(runId: string | undefined): Worker | Promise<Worker> {
    const worker = idleFor(runId, workers) ?? (countUsable(workers) < size ? add() : undefined);
    if (!worker) return new Promise((resolve) => queue.push(resolve));
    worker.busy = true;
    return worker;
  }

  function release(worker: Worker): void {
    worker.busy = false;
    const next = stopped ? undefined : queue.shift();
    if (!next) return;
    const free = worker.usable ? worker : add();
    free.busy = true;
    next(free);
  }

  async function invoke(event: unknown): Promise<string> {
    if (stopped) throw new Error('Cannot invoke a function: the host is stopping');
    const runId = runIdOf(event);
    const worker = await take(runId);
    worker.runId = runId;
    return worker.invoke(event).finally(() => release(worker));
  }

  async function stop(graceMs: number): Promise<void> {
    stopped = true;
    const until = Date.now() + graceMs;
    while ([...workers].some((worker) => worker.busy) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    const all = [...workers];
    for (const worker of all) worker.kill('SIGKILL');
    await Promise.all(all.map((worker) => worker.gone));
  }

  return { invoke, stop, workers: () => [...workers] };
}

const countUsable = (workers: Set<Worker>) => [...workers].filter((worker) => worker.usable).length;

/** An idle process, best the one that served this run before. */
function idleFor(runId: string | undefined, workers: Set<Worker>): Worker | undefined {
  const idle = [...workers].filter((worker) => worker.usable && !worker.busy);
  return idle.find((worker) => worker.runId === runId) ?? idle[0];
}

/** The run that a step's event, or a request, is about. */
function runIdOf(event: unknown): string | undefined {
  const { runId, pathParameters } = (event ?? {}) as { runId?: string; pathParameters?: { id?: string } };
  return runId ?? pathParameters?.id;
}
