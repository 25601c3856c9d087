import { VARIABLES } from '../../../shared/environment.ts';
import { hasAccess, type Variables } from './access.ts';
import { parseModelName } from './model-name.ts';

/**
 * Names the model that a new run is pinned to: HOLDFAST_MODEL if it is set; else the agent's own if its provider is set
 * up; else `scripted/<agent>` if the agent has a script; else the agent's own, whose missing key then shows as an outcome.
 * Where a secret holds the keys, every provider counts as set up: nobody who gave keys means to be played a script.
 */
export function resolveModel(agentModel: string, hasScript: boolean, agentName: string, variables: Variables): string {
  const override = variables[VARIABLES.model]?.trim();
  if (override) return override;
  const name = parseModelName(agentModel);
  const usable = name && name.provider !== 'scripted' && (variables[VARIABLES.modelKeys]?.trim() || hasAccess(name.provider, variables));
  return usable || !hasScript ? agentModel : `scripted/${agentName}`;
}
