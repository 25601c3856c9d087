import { canonical, type Json } from '../../shared/json.ts';
import { earlierEffect } from '../../shared/log.ts';
import { isAmong } from '../../shared/recipient.ts';
import type { ApprovalNeed, Call, Edit, Reply } from '../../shared/record.ts';
import type { AnyTool } from '../../shared/tool.ts';
import { approvalOf, type Case, checkInput } from './judge.ts';
import { sentenceOf } from './sentence.ts';

/** What becomes of arguments that a person put in place of a call's own: they are taken, or not, and why. */
export type JudgedEdit = Edit | { readonly invalid: string };

/**
 * Judges a call of an open reply anew, with other arguments. They are taken as they are or not at all, and only where the
 * tool's policy asks no more of anybody than was asked, and no repeat is made that nobody was asked about. `run.log` ends
 * before the reply, whose calls are as they run.
 */
export function judgeEdit(run: Case, reply: Reply, call: Call, input: Json): JudgedEdit {
  const tool = run.agent.tools.find(({ name }) => name === call.tool);
  if (!tool) return { invalid: `this deployment has no tool "${call.tool}"` };
  try {
    return judged(run, reply, tool, call, input);
  } catch (error) {
    return { invalid: `the arguments of ${call.tool} cannot be checked: ${sentenceOf(error)}` };
  }
}

function judged(run: Case, reply: Reply, tool: AnyTool, call: Call, input: Json): JudgedEdit {
  const found = checkInput(tool, input, run.hash);
  if ('invalid' in found) return { invalid: found.invalid.replace(/^Not run: /, '') };
  if (canonical(found.input) !== canonical(input))
    return { invalid: `${call.tool} would not run with exactly these arguments, but with ${canonical(found.input)}` };
  const more = moreAsked(call.approval, approvalOf(run, tool, structuredClone(found.input))) ?? repeatIn(run, reply, tool, call, found);
  return more === undefined ? found : { invalid: `${more}; deny the call, and say in a comment which arguments you would allow` };
}

/** Says what the policy asks of these arguments that was not asked of those shown. */
function moreAsked(asked: ApprovalNeed | undefined, need: ApprovalNeed | undefined): string | undefined {
  if (!need) return undefined;
  const { needs = 1, risk, approvers } = need;
  if (needs > (asked?.needs ?? 1)) return `these arguments need the yes of ${needs} people`;
  if (risk === 'high' && asked?.risk !== 'high') return 'these arguments are of high risk, and those asked about are not';
  const all = !approvers || asked?.approvers?.every((each) => isAmong(approvers, each));
  return all ? undefined : `these arguments are for ${approvers.join(', ')} to decide`;
}

/** Says of which other call an edit would make a repeat, where the tool's author wants none unasked. */
function repeatIn({ log }: Case, reply: Reply, tool: AnyTool, call: Call, { inputHash }: Edit): string | undefined {
  const { onRepeat = 'run' } = tool.effect === 'read' ? {} : tool;
  if (onRepeat === 'run') return undefined;
  const sibling = reply.calls.find((each) => each.index !== call.index && each.inputHash === inputHash && each.invalid === undefined);
  if (sibling) return `call ${sibling.index} of this reply has the same arguments`;
  const earlier = onRepeat === 'ask' ? earlierEffect(log, reply, { ...call, inputHash }) : undefined;
  return earlier?.result.effect?.state === 'done' ? `an equal call was done before, at record ${earlier.seq}` : undefined;
}
