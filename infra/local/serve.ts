import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startHost } from './host.ts';
import type { Host, HostOptions } from './host-options.ts';

/** Where the service listens unless told otherwise; any free port when somebody else does. */
const DEFAULT_PORT = 4545;
/** How long steps in flight may go on after a signal to stop, ms: less than people wait before they send another. */
const GRACE_MS = 3000;

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    port: { type: 'string' },
    agents: { type: 'string' },
    handlers: { type: 'string' },
    'event-limit': { type: 'string' },
    'backoff-ms': { type: 'string' },
    'max-wait-ms': { type: 'string' },
    'sweep-ms': { type: 'string' },
  },
});

const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));

const options: HostOptions = {
  dataDir: values['data-dir'] ?? join(process.cwd(), '.holdfast', 'data'),
  port: number(values.port) ?? DEFAULT_PORT,
  agents: values.agents,
  handlers: values.handlers,
  eventLimit: number(values['event-limit']),
  backoffMs: number(values['backoff-ms']),
  maxWaitMs: number(values['max-wait-ms']),
  sweepMs: number(values['sweep-ms']),
};

/** Serves until told to stop; a second signal ends it at once. A parent that goes away is a signal too. */
function serve(host: Host): void {
  const stop = () => {
    process.once('SIGINT', () => process.exit(1)).once('SIGTERM', () => process.exit(1));
    host.stop(GRACE_MS).then(() => process.exit(0), failed);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop).once('disconnect', stop);
  console.log(`Holdfast is at ${host.url}`);
  process.send?.({ url: host.url, controlUrl: host.controlUrl });
}

const startOnSomePort = () =>
  startHost(options).catch((error) => {
    if (error.code !== 'EADDRINUSE' || values.port !== undefined) throw error;
    return startHost({ ...options, port: 0 });
  });

function failed(error: Error): void {
  console.error(error.message);
  process.exit(1);
}

startOnSomePort().then(serve, failed);
