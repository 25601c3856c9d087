import type { Command } from 'commander';
import type { Terminal } from './output.ts';
import { type GlobalOptions, openSession, type Session } from './session.ts';

/** What every command is made with. */
export interface Context {
  readonly terminal: Terminal;
  /** Sets the exit code of the whole command. */
  readonly exit: (code: number) => void;
}

/** What a command does: with its arguments and options, to an exit code. */
export type Perform<Arguments extends readonly unknown[], Options> = (
  session: Session,
  options: Options,
  ...args: Arguments
) => Promise<number> | number;

/** Makes a commander action of what a command does. */
export const action =
  <Arguments extends readonly unknown[], Options = object>({ terminal, exit }: Context, perform: Perform<Arguments, Options>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const session = openSession(terminal, command.optsWithGlobals<GlobalOptions>());
    exit(await perform(session, command.opts<object>() as Options, ...(command.processedArgs as unknown as Arguments)));
  };
