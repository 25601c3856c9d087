/** The shop does not do what it is asked to; nothing has changed. The message is the tool's answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Throws the refusal, in the form in which the shop gives all of them. */
export function refuse(why: string): never {
  throw new Refusal(`Error: ${why}`);
}

/** Returns what was looked up. Refuses when there is nothing. */
export const found = <T>(row: T | undefined, what: string): T => row ?? refuse(`${what} not found`);
