import type { ExecutionEnvironment } from './execution.ts';
import type { LocalFunctions } from './functions.ts';
import { interpreterOf, type Pace } from './machine.ts';
import type { FindVersion } from './step-functions.ts';
import type { Tokens } from './tokens.ts';
import { type Version, type Versions, versionFor } from './versions.ts';

/** What executions of all versions have in common. */
export interface Common {
  readonly functions: LocalFunctions;
  readonly tokens: Tokens;
  readonly pace: Pace;
}

/** Finds what the executions of a version work with; made when a run first needs it. */
export function versionEnvironments(versions: Versions, { functions, tokens, pace }: Common): FindVersion {
  const made = new Map<Version, ExecutionEnvironment>();
  const make = (version: Version): ExecutionEnvironment => {
    const { machine } = version;
    const own = version === versions.today ? functions : functions.earlier(version);
    return { machine, interpreter: interpreterOf(machine), functions: own, tokens, pace };
  };
  return (arn) => {
    const version = versionFor(versions, arn);
    if (version && !made.has(version)) made.set(version, make(version));
    return version && made.get(version);
  };
}
