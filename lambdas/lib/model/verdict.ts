import type { RejectionCode } from '../../../shared/model.ts';
import type { Refusal } from './refusal.ts';

/** Whether to wait and ask again, or why a person must act first. */
export type Verdict = 'overloaded' | Exclude<RejectionCode, 'missing-key'>;

/** Judges an answer that is no reply. What a person must mend is never called overload, and a 400 never is. */
export const verdictOf = (refusal: Refusal): Verdict => RULES.find(([applies]) => applies(refusal))?.[1] ?? 'bad-request';

/** The first rule that applies decides. Kinds are stable words; texts are only looked at where providers give no other sign. */
const RULES: readonly (readonly [(refusal: Refusal) => boolean, Verdict])[] = [
  [({ status }) => status === undefined, 'overloaded'],
  // A limit per hour or day, by whatever status: it ends by itself at the time that the provider names.
  [({ status, waitSeconds }) => status === 402 && waitSeconds !== undefined, 'overloaded'],
  [({ status }) => status === 402, 'billing'],
  [(refusal) => is(refusal, 400, 403, 429) && hasKind(refusal, USED_UP_KIND), 'billing'],
  [(refusal) => is(refusal, 400, 403) && USED_UP_TEXT.test(refusal.text), 'billing'],
  [(refusal) => is(refusal, 429) && USED_UP_TEXT.test(refusal.text) && refusal.waitSeconds === undefined, 'billing'],
  [(refusal) => is(refusal, 400) && (hasKind(refusal, /^context_length_exceeded$/) || TOO_LONG_TEXT.test(refusal.text)), 'too-large'],
  [
    (refusal) => is(refusal, 400) && (hasKind(refusal, /^model_not_found$/) || /model identifier is invalid/i.test(refusal.text)),
    'model-not-found',
  ],
  [(refusal) => is(refusal, 401) || (is(refusal, 403) && hasKind(refusal, AWS_SIGNATURE_KIND)), 'authentication'],
  [(refusal) => is(refusal, 403), 'permission'],
  [(refusal) => is(refusal, 404, 410), 'model-not-found'],
  [(refusal) => is(refusal, 413), 'too-large'],
  // 409: a conflict inside the provider; 424: Bedrock's word for a model that failed.
  [(refusal) => is(refusal, 408, 409, 424, 425, 429), 'overloaded'],
  [({ status = 0 }) => status >= 500, 'overloaded'],
];

const USED_UP_KIND = /insufficient_(quota|balance|credits?|funds)|billing|spend_?limit|credit_balance/;
const USED_UP_TEXT =
  /credit balance|(insufficient|out of|no) (quota|balance|credits?|funds)|(quota|balance|credits?|funds) (is|are|has been|have been) (used up|exhausted|depleted|too low|insufficient|empty)|exceeded your current quota|spend(ing)? limit|specified api usage limits/i;
const TOO_LONG_TEXT = /prompt is too long|input is too long|maximum context length|context window/i;
const AWS_SIGNATURE_KIND = /^(unrecognizedclient|expiredtoken|invalidsignature|incompletesignature|missingauthenticationtoken)/;

const is = ({ status }: Refusal, ...statuses: number[]): boolean => status !== undefined && statuses.includes(status);
const hasKind = ({ kinds }: Refusal, pattern: RegExp): boolean => kinds.some((kind) => pattern.test(kind));
