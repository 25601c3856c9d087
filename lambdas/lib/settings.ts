import { type Environment, readEnvironment } from '../../shared/environment.ts';

let read: Environment | undefined;

/** The settings of this function, read from the environment at first use. */
export function settings(): Environment {
  read ??= readEnvironment(process.env);
  return read;
}
