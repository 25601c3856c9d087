import type { Json } from './json.ts';
import type { Call, Draft, Edit, Reply } from './record.ts';
import {
  holdsMask,
  leavesOf,
  MASK,
  type Place,
  placesOf,
  type Secrets,
  taken,
  textsOf,
  valueAt,
  without,
  withoutTexts,
} from './secrets.ts';
import type { AnyTool } from './tool.ts';

/** What is taken out of one call, and kept apart. */
export interface TakenSecrets {
  readonly index: number;
  readonly inputHash: string;
  readonly secrets: Secrets;
}

type Hash = (tool: string, input: Json) => string;

/** Tells whether any of some tools has secrets. */
export const haveSecrets = (tools: readonly AnyTool[]): boolean => tools.some(({ secrets, secretOutput }) => secrets ?? secretOutput);

/**
 * Takes the secrets out of a reply: what tools mark in its calls, and the same texts wherever else the reply says them.
 * Arguments that are not valid cannot be trusted to hold theirs at the marked places: nothing of them is kept. A tool that is
 * not there may be a misspelt one that has secrets: nothing of its arguments is kept either.
 */
export function concealReply(
  tools: readonly AnyTool[],
  draft: Draft<Reply>,
  hash: Hash,
): { readonly draft: Draft<Reply>; readonly kept: readonly TakenSecrets[] } {
  const marksOf = ({ tool }: Pick<Call, 'tool'>) => tools.find(({ name }) => name === tool)?.secrets ?? [];
  const texts = textsOf([
    ...draft.calls.flatMap((call) => valuesAt(call.input, placesFor(call, marksOf(call), call.input))),
    ...draft.content.flatMap((part) => valuesIn(part, draft, marksOf)),
  ]);
  const concealed = draft.calls.map((call) => concealCall(call, tools, texts, hash));
  const content = concealContent(draft, marksOf, texts, (call) => isStray(call, tools));
  return {
    draft: { ...draft, text: withoutTexts(draft.text, texts), content, calls: concealed.map(({ call }) => call) },
    kept: concealed.flatMap(({ kept }) => kept ?? []),
  };
}

const valuesAt = (value: Json, places: readonly Place[]): Json[] => places.flatMap((place) => valueAt(value, place) ?? []);

/** Where the secrets of a call are: at the marks of its tool, or anywhere when it is not valid. */
const placesFor = ({ invalid }: Pick<Call, 'invalid'>, marks: readonly string[], value: Json): Place[] =>
  marks.length === 0 ? [] : invalid === undefined ? placesOf(marks, value) : leavesOf(value);

const isStray = ({ tool }: Pick<Call, 'tool'>, tools: readonly AnyTool[]): boolean => !tools.some(({ name }) => name === tool);

function concealCall(call: Call, tools: readonly AnyTool[], texts: readonly string[], hash: Hash): { call: Call; kept?: TakenSecrets } {
  const { secrets: marks = [], secretOutput } = tools.find(({ name }) => name === call.tool) ?? {};
  const stray = isStray(call, tools);
  const places = stray ? leavesOf(call.input) : [...new Set([...placesFor(call, marks, call.input), ...leavesWith(call.input, texts)])];
  const said = withoutSaid(call, texts);
  const output = secretOutput === undefined ? {} : { secretOutput: secretOutput === true ? [''] : [...secretOutput] };
  if (places.length === 0) return { call: { ...said, ...output, ...(marks.length > 0 || stray ? rawMasked(call) : {}) } };
  const { masked, secrets } = taken(call.input, places);
  const inputHash = marks.length > 0 || stray ? call.inputHash : hash(call.tool, call.input);
  const invalid = call.invalid === undefined ? faultIn(call, places, texts) : said.invalid;
  const kept = {
    ...said,
    ...output,
    ...rawMasked(call),
    input: masked,
    inputHash,
    ...(invalid === undefined ? { secrets: places } : { invalid }),
  };
  return invalid === undefined ? { call: kept, kept: { index: call.index, inputHash, secrets } } : { call: withoutKey(kept) };
}

const withoutKey = ({ businessKey: _, ...call }: Call): Call => call;
const rawMasked = ({ rawInput }: Call) => (rawInput === undefined ? {} : { rawInput: MASK });

/** Why a call cannot be run with its secrets: it gives back a mask, or would tell them by its business key. */
function faultIn({ tool, input, businessKey }: Call, places: readonly Place[], texts: readonly string[]): string | undefined {
  if (holdsMask(input, places))
    return `Not run: ${tool} was given ${MASK}, which only stands for a secret that is not shown again. Ask for the secret, or go on without this call`;
  if (businessKey !== undefined && withoutTexts(businessKey, texts) !== businessKey)
    return `Not run: the business key of ${tool} would hold a secret; its key function must leave secrets out`;
  return undefined;
}

/** What is said of a call, by its tool's author or of its faults. */
function withoutSaid(call: Call, texts: readonly string[]): Call {
  const { invalid, approval, question } = call;
  return {
    ...call,
    ...(invalid === undefined ? {} : { invalid: withoutTexts(invalid, texts) }),
    ...(approval === undefined ? {} : { approval: { ...approval, reason: withoutTexts(approval.reason, texts) } }),
    ...(question === undefined
      ? {}
      : { question: without(question as unknown as Json, texts) as unknown as NonNullable<Call['question']> }),
  };
}

/** The places of texts that hold one of some others. */
const leavesWith = (value: Json, texts: readonly string[]): Place[] =>
  texts.length === 0
    ? []
    : leavesOf(value).filter((place) => {
        const leaf = valueAt(value, place) as Json;
        return without(leaf, texts) !== leaf;
      });

type Part = { readonly [key: string]: Json };
type MarksOf = (call: Pick<Call, 'tool'>) => readonly string[];

const isCall = (part: Json): boolean => (part as Part)?.type === 'tool-call' && !(part as Part).providerExecuted;

/** The call that a part of the content is; the parts that are calls stand in their order. */
function callOf(part: Json, { content, calls }: Draft<Reply>): Call | undefined {
  return isCall(part) ? calls[content.filter(isCall).indexOf(part)] : undefined;
}

function argumentsOf(part: Json): Json | undefined {
  try {
    const value: Json = JSON.parse(String((part as Part).input));
    return value !== null && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The secret values in the arguments as the model wrote them, which its tool's schema may have changed. */
function valuesIn(part: Json, draft: Draft<Reply>, marksOf: MarksOf): Json[] {
  const call = callOf(part, draft);
  const given = call && argumentsOf(part);
  return call && given !== undefined ? valuesAt(given, placesFor(call, marksOf(call), given)) : [];
}

const concealContent = (draft: Draft<Reply>, marksOf: MarksOf, texts: readonly string[], stray: (call: Call) => boolean): Json[] =>
  draft.content.map((part) => {
    const call = callOf(part, draft);
    if (!call) return withoutSignature(part, without(part, texts));
    const marks = marksOf(call);
    const given = argumentsOf(part);
    if (given === undefined) return marks.length > 0 || stray(call) ? { ...(part as Part), input: MASK } : without(part, texts);
    const places = stray(call) ? leavesOf(given) : [...new Set([...placesFor(call, marks, given), ...leavesWith(given, texts)])];
    return places.length === 0 ? part : { ...(part as Part), input: JSON.stringify(taken(given, places).masked) };
  });

/** A provider signs what its model thought: it takes nothing else back under that signature. */
function withoutSignature(before: Json, after: Json): Json {
  if ((before as Part)?.type !== 'reasoning' || JSON.stringify(before) === JSON.stringify(after)) return after;
  const { providerMetadata: _, ...rest } = after as Part;
  return rest;
}

/** Takes the secrets out of the arguments that a person put in place of a call's own. */
export function concealEdit(marks: readonly string[], edit: Edit): { readonly edit: Edit; readonly secrets: Secrets } {
  const places = placesOf(marks, edit.input);
  if (places.length === 0) return { edit, secrets: {} };
  const { masked, secrets } = taken(edit.input, places);
  return { edit: { ...edit, input: masked, secrets: places }, secrets };
}

/** Says why arguments cannot be used as they are given: a mask is no secret. */
export const maskFault = (marks: readonly string[], input: Json): string | undefined =>
  holdsMask(input, placesOf(marks, input)) ? `${MASK} only stands for a secret: give the secret itself` : undefined;

/** What the model is told of a tool. It may not take a mask for the secret. */
export function describe({ description, secrets, secretOutput }: AnyTool): string {
  const output = secretOutput === true ? ['its output'] : (secretOutput ?? []).map((path) => `\`${path}\` of its output`);
  const hidden = [...(secrets ?? []).map((path) => `\`${path}\``), ...output];
  if (hidden.length === 0) return description;
  return `${description}\n\nSecret: ${hidden.join(', ')}. You are shown ${MASK} in the place of a secret afterwards: it stands for it, and is never to be given as one.`;
}
