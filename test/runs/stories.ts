import type { RunSummary } from '../../shared/api.ts';
import type { Json } from '../../shared/json.ts';
import type { Decision, EndStatus } from '../../shared/record.ts';
import { PIXEL } from '../support/pictures.ts';

/** A whole run, and what must hold at its end, however often it was cut off on the way. */
export interface Story {
  readonly name: string;
  /** The agent that plays it: `story` unless told otherwise. */
  readonly agent?: string;
  /** How often each tool's effect must have been applied at the end. */
  readonly effects: Readonly<Record<string, number>>;
  readonly end: EndStatus | 'erased' | 'imported';
  /** What people answer when they are asked for consent. */
  readonly consent?: Decision;
  /** Who answers, one after another: Ada alone unless told otherwise. */
  readonly people?: readonly string[];
  /** To whom the mail goes by whose link consent is given, instead of by the API. */
  readonly link?: string;
  /** Other arguments that are consented to. */
  readonly edit?: Json;
  /** The model that is named in place of one that is no more. */
  readonly repin?: string;
  /** What is answered to a question. */
  readonly answer?: Json;
  /** What is answered when a budget is reached. */
  readonly budget?: 'raise' | 'finish' | 'stop';
  /** Whether it needs the sweep, as what waits for the clock does. */
  readonly sweeps?: boolean;
  /** What comes with the input. */
  readonly attached?: Readonly<Record<string, Json>>;
  /** What is done to the run from outside, once, when its look says so. */
  readonly steer?: {
    readonly when: (run: RunSummary, applied: number) => boolean;
    /** POST unless told otherwise; a DELETE has no path of its own. */
    readonly method?: 'DELETE';
    readonly path: string;
    readonly body: { readonly [field: string]: Json };
  };
  /** How the story goes on with a new run, one after another, each once the look of the run before says so. */
  readonly branches?: readonly {
    readonly when: (run: RunSummary, applied: number) => boolean;
    readonly path: 'restart' | 'fork';
    readonly body: Record<string, string | number>;
  }[];
  /** Whether it is exported at its end and read back under another id, which is then what is looked at. */
  readonly copied?: boolean;
  /** An ask that is part of the story, with no crash at all. */
  readonly asks?: 'outcome-unknown';
}

const asksConsent = (run: RunSummary) => run.status === 'waiting' && run.ask?.kind === 'approval';
const restartWhen = (when: (run: RunSummary, applied: number) => boolean) => ({ path: 'restart', body: { by: 'Ada' }, when }) as const;
const forkAt = (at: number, more: Record<string, string> = {}, status: RunSummary['status'] = 'completed') =>
  ({ path: 'fork', body: { at, by: 'Ada', ...more }, when: (run: RunSummary) => run.status === status }) as const;

const PICTURE = { mediaType: 'image/png', name: 'a.png', data: PIXEL.toString('base64') };

const cancel = { path: 'cancel', body: { by: 'Ada' } };

export const STORIES: readonly Story[] = [
  { name: 'plain text', effects: {}, end: 'completed' },
  { name: 'one read', effects: {}, end: 'completed' },
  { name: 'several reads in one reply', effects: {}, end: 'completed' },
  { name: 'an idempotent write', effects: { pay_idempotent: 1 }, end: 'completed' },
  { name: 'a reconcile write', effects: { pay_reconcile: 1 }, end: 'completed' },
  { name: 'a once write', effects: { pay_once: 1 }, end: 'completed' },
  { name: 'reads and writes in one reply', effects: { pay_idempotent: 1, pay_reconcile: 1, pay_once: 1 }, end: 'completed' },
  { name: 'an approved write', effects: { pay_guarded: 1 }, end: 'completed', consent: 'approve' },
  { name: 'a denied write', effects: {}, end: 'completed', consent: 'deny' },
  { name: 'a tool that fails before its effect', effects: {}, end: 'completed' },
  { name: 'an idempotent tool that fails after its effect', effects: { throw_after_idempotent: 1 }, end: 'completed' },
  { name: 'a once tool that fails after its effect', effects: { throw_after_once: 1 }, end: 'completed', asks: 'outcome-unknown' },
  { name: 'an overloaded model', effects: { pay_once: 1 }, end: 'completed' },
  { name: 'invalid arguments', effects: { pay_once: 1 }, end: 'completed' },
  { name: 'a failing read', effects: {}, end: 'completed' },
  {
    name: 'cancelled while it waits for consent',
    effects: { pay_once: 1 },
    end: 'cancelled',
    steer: { ...cancel, when: asksConsent },
  },
  {
    name: 'erased while it waits',
    effects: { pay_once: 1 },
    end: 'erased',
    steer: {
      method: 'DELETE',
      path: '',
      body: { by: 'Ada', cancel: true },
      when: (run) => run.status === 'waiting' && run.ask?.kind === 'approval',
    },
  },
  {
    name: 'cancelled while the model is overloaded',
    effects: { pay_once: 1 },
    end: 'cancelled',
    steer: { ...cancel, when: (run) => run.reason.startsWith('overloaded') },
  },
  {
    name: 'cancelled while a tool is at work',
    effects: { pay_once: 1 },
    end: 'cancelled',
    steer: { ...cancel, when: (_, applied) => applied > 0 },
  },
  {
    name: 'a message after the end',
    effects: { pay_once: 1 },
    end: 'completed',
    steer: { path: 'messages', body: { text: 'more' }, when: (run) => run.status === 'completed' },
  },
  { name: 'a write that two people consent to', effects: { pay_two: 1 }, end: 'completed', consent: 'approve', people: ['Ada', 'Bob'] },
  { name: 'a write with other arguments', effects: { pay_guarded: 1 }, end: 'completed', consent: 'approve', edit: { item: 'less' } },
  { name: 'a question to a person', effects: { pay_once: 1 }, end: 'completed', answer: 'green' },
  { name: 'calls whose results come later', effects: { order: 2, pay_once: 1 }, end: 'completed' },
  {
    name: 'consent by a mailed link',
    effects: { pay_mailed: 1 },
    end: 'completed',
    consent: 'approve',
    link: 'boss@example.test',
    // Who is killed before the run is woken is asked nothing again: the page has no form any more.
    sweeps: true,
  },
  {
    name: 'the next in line consents by a mailed link',
    effects: { pay_next: 1 },
    end: 'completed',
    consent: 'approve',
    link: 'next@example.test',
    sweeps: true,
  },
  { name: 'a call with a secret', effects: { set_key: 1 }, end: 'completed', consent: 'approve' },
  { name: 'nobody answers', effects: {}, end: 'completed', sweeps: true },
  {
    name: 'restarted after writes that are done',
    effects: { pay_idempotent: 1, pay_reconcile: 1, pay_once: 1, pay_guarded: 1 },
    end: 'completed',
    consent: 'approve',
    branches: [restartWhen(asksConsent)],
  },
  {
    name: 'restarted while a once write is at work',
    effects: { pay_once: 1 },
    end: 'completed',
    branches: [restartWhen((_, applied) => applied > 0)],
    asks: 'outcome-unknown',
  },
  {
    name: 'restarted while an idempotent write is at work',
    effects: { pay_idempotent: 1 },
    end: 'completed',
    branches: [restartWhen((_, applied) => applied > 0)],
  },
  {
    name: 'restarted while a reconcile write is at work',
    effects: { pay_reconcile: 1 },
    end: 'completed',
    branches: [restartWhen((_, applied) => applied > 0)],
  },
  {
    name: 'a restart that is restarted',
    effects: { pay_once: 1, pay_guarded: 1 },
    end: 'completed',
    consent: 'approve',
    branches: [restartWhen(asksConsent), restartWhen(asksConsent)],
  },
  { name: 'forked before a write', effects: { pay_once: 1 }, end: 'completed', branches: [forkAt(3)] },
  { name: 'forked after a write', effects: { pay_once: 2 }, end: 'completed', branches: [forkAt(5, { message: 'more' })] },
  {
    name: 'forked in an open turn',
    effects: { pay_once: 1, pay_guarded: 1 },
    end: 'completed',
    consent: 'approve',
    steer: { ...cancel, when: asksConsent },
    branches: [forkAt(2, {}, 'cancelled')],
  },
  { name: 'a fork of a fork', effects: { pay_once: 2 }, end: 'completed', branches: [forkAt(3, { message: 'more' }), forkAt(3)] },
  { name: 'a result of many megabytes', effects: { pay_largely: 1 }, end: 'completed' },
  { name: 'a reply and arguments of megabytes', effects: { pay_guarded: 1 }, end: 'completed', consent: 'approve' },
  { name: 'a tool returns pictures', effects: { photograph: 1 }, end: 'completed' },
  {
    name: 'files from people',
    effects: { pay_once: 1 },
    end: 'completed',
    attached: { picture: { $file: PICTURE } },
    steer: { path: 'messages', body: { text: 'more', files: [PICTURE] }, when: (run) => run.status === 'completed' },
  },
  { name: 'a model that is retired', effects: { pay_guarded: 1 }, end: 'completed', consent: 'approve', repin: 'scripted/successor' },
  { name: 'exported, and read back as another run', effects: { photograph: 1, pay_once: 1 }, end: 'imported', copied: true },
  { name: 'several segments', effects: { pay_once: 3 }, end: 'completed' },
  { name: 'a budget is reached and raised', agent: 'short-story', effects: { pay_once: 1 }, end: 'completed', budget: 'raise' },
  {
    name: 'a budget is reached, and the run finishes up',
    agent: 'short-story',
    effects: { pay_once: 1 },
    end: 'completed',
    budget: 'finish',
  },
  { name: 'a budget is reached, and the run is stopped', agent: 'short-story', effects: { pay_once: 1 }, end: 'failed', budget: 'stop' },
  {
    name: 'a run that was stopped at its budget goes on',
    agent: 'short-story',
    effects: { pay_once: 2 },
    end: 'completed',
    budget: 'stop',
    steer: { path: 'budget', body: { raise: { turns: 2 }, by: 'Ada' }, when: (run) => run.status === 'failed' },
  },
  { name: 'a summary in between', agent: 'long-story', effects: { pay_once: 2 }, end: 'completed' },
];
