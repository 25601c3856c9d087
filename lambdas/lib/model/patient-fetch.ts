/** Node's own HTTP agent, which it keeps under this name once `fetch` has been loaded. */
const NODE_AGENT = Symbol.for('undici.globalDispatcher.1');

type AgentClass = new (options: { headersTimeout: number; bodyTimeout: number }) => object;

let agent: object | undefined;

/**
 * `fetch` without time limits of its own. Node's gives up when no header came for 300 s, and a long reply that is not
 * streamed sends none before it is done; the deadline of the step is the only limit, through the request's signal.
 */
export const patientFetch: typeof fetch = (input, init) => {
  agent ??= newAgent();
  return fetch(input, { ...init, ...(agent && { dispatcher: agent }) } as RequestInit);
};

function newAgent(): object | undefined {
  new Request('http://127.0.0.1'); // loads what `fetch` consists of
  const nodes = (globalThis as { [NODE_AGENT]?: object })[NODE_AGENT];
  return nodes && new (nodes.constructor as AgentClass)({ headersTimeout: 0, bodyTimeout: 0 });
}
