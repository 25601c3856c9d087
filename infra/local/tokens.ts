import { randomBytes } from 'node:crypto';

/** What a task token was sent back with. */
export type Delivery = { output: string } | { error: string | undefined; cause: string | undefined };

/** The task tokens of waiting executions. */
export interface Tokens {
  mint(): string;
  /** Fulfils with what is sent back with this token. */
  wait(token: string): Promise<Delivery>;
  /** Sends something back, unless the token is not, or no longer, waited for. */
  deliver(token: string, delivery: Delivery): TokenState;
  state(token: string): TokenState;
  /** Ends a wait whose time is up, or whose execution is over. */
  close(token: string): void;
}
export type TokenState = 'open' | 'closed' | 'unknown' | 'malformed';

/** Tokens whose wait is over that are still told from ones that never were. */
const CLOSED_KEPT = 1000;

/** Makes an empty set of tokens. */
export function createTokens(): Tokens {
  const open = new Map<string, PromiseWithResolvers<Delivery>>();
  const closed = new Set<string>();

  function state(token: string): TokenState {
    if (open.has(token)) return 'open';
    if (closed.has(token)) return 'closed';
    return /^[\w-]{86}$/.test(token) ? 'unknown' : 'malformed';
  }

  function close(token: string): void {
    if (!open.delete(token)) return;
    closed.add(token);
    for (const oldest of closed) if (closed.size > CLOSED_KEPT) closed.delete(oldest);
  }

  return {
    mint() {
      const token = randomBytes(64).toString('base64url');
      open.set(token, Promise.withResolvers());
      return token;
    },
    wait: (token) => open.get(token)?.promise ?? Promise.reject(new Error('Cannot wait for a token that is not open')),
    deliver(token, delivery) {
      const found = state(token);
      open.get(token)?.resolve(delivery);
      close(token);
      return found;
    },
    state,
    close,
  };
}
