import { type Execution, type ExecutionEnvironment, type Running, startExecution } from './execution.ts';
import type { Journal } from './journal.ts';

/** The executions of the state machine: those at work, and the latest of those that are closed. */
export interface Executions {
  /**
   * Starts an execution of a version, or returns the one that is at work under this name with this input. Undefined when the
   * name is taken.
   */
  start(name: string, input: string, version: ExecutionEnvironment): Execution | undefined;
  /** Ends an execution if it is at work. */
  stop(name: string): Promise<Execution | undefined>;
  find(name: string): Execution | undefined;
  all(): Execution[];
  /** Ends every execution without a trace: they are left to the next host. */
  abandon(): Promise<void>;
}

export interface ExecutionHooks {
  journal: Journal;
  /** Called when an execution ended otherwise than well; the journal keeps it until this is done. */
  onFailure: (execution: Execution) => Promise<void>;
}

/** Closed executions that are remembered, so that their names stay taken. */
const CLOSED_KEPT = 10_000;

/** Makes an empty set of executions. */
export function createExecutions({ journal, onFailure }: ExecutionHooks): Executions {
  const running = new Map<string, Running>();
  const closed = new Map<string, Execution>();
  let abandoned = false;

  async function follow({ execution, ended }: Running): Promise<void> {
    await ended;
    running.delete(execution.name);
    closed.set(execution.name, execution);
    for (const oldest of closed.keys()) if (closed.size > CLOSED_KEPT) closed.delete(oldest);
    if (abandoned) return;
    if (execution.status !== 'SUCCEEDED') await onFailure(execution);
    if (!abandoned) journal.remove(execution.name);
  }

  function start(name: string, input: string, version: ExecutionEnvironment): Execution | undefined {
    const taken = running.get(name)?.execution;
    if (taken) return taken.input === input ? taken : undefined;
    if (abandoned) throw new Error('Cannot start an execution: the host is stopping');
    if (closed.has(name)) return undefined;
    journal.add(name, input);
    const started = startExecution(name, input, version);
    running.set(name, started);
    void follow(started);
    return started.execution;
  }

  async function end(one: Running | undefined): Promise<void> {
    one?.abort();
    await one?.ended;
  }

  const find = (name: string) => running.get(name)?.execution ?? closed.get(name);

  return {
    start,
    find,
    async stop(name) {
      await end(running.get(name));
      return find(name);
    },
    all: () => [...closed.values(), ...[...running.values()].map(({ execution }) => execution)],
    async abandon() {
      abandoned = true;
      await Promise.all([...running.values()].map(end));
    },
  };
}
