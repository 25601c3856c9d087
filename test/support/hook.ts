import { text } from 'node:stream/consumers';
import { type Listening, listen } from '../../infra/local/loopback.ts';

/** A request that came to a webhook. */
export interface Posted {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, byte for byte. */
  readonly body: string;
}

/** A receiver of webhooks on the loopback interface. */
export interface Hook {
  readonly url: string;
  readonly posted: readonly Posted[];
  /** What it answers: a status, and an address with a redirect. */
  answer: { status: number; location?: string };
  close: Listening['close'];
}

/** Starts a receiver on a free port. */
export async function startHook(): Promise<Hook> {
  const posted: Posted[] = [];
  const { url, close } = await listen(async (request, response) => {
    posted.push({ path: request.url ?? '', headers: request.headers as Record<string, string>, body: await text(request) });
    const { status, location } = hook.answer;
    response.writeHead(status, location === undefined ? {} : { location }).end('ok');
  });
  const hook: Hook = { url, posted, answer: { status: 200 }, close };
  return hook;
}
