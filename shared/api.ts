import * as z from 'zod';
import { blobPointer } from './blob.ts';
import { MAX_FILES } from './file.ts';
import { type Json, shallowJson } from './json.ts';
import { erased, parent, runStatus, totals } from './meta.ts';
import { pin, servedPin } from './pin.ts';
import { pinned } from './pinned.ts';
import { plan } from './plan.ts';
import { answer, answerTo, ask, askKind, raises } from './record.ts';
import { clipped, shownRecord } from './shown-record.ts';
import { viewSummary } from './view-summary.ts';

/** Requests and responses of the HTTP API: the one description that handlers, CLI and pages share. */

/** The largest request body, bytes: Lambda takes events of 6 MB. Files in it are base64, which is no longer in an event than it was sent. */
export const MAX_BODY_BYTES = 5_500_000;
/** The largest input of a run, message, answer and posted result, bytes of JSON: Lambda takes events of 6 MB, in which text may be twice as long as it was sent. */
export const MAX_INPUT_BYTES = 2_400_000;
export const MAX_PAGE = 100;
/** The longest long poll, s: under the 29 s that API Gateway grants. */
export const MAX_WAIT_SECONDS = 20;

export const startRunRequest = z.strictObject({ agent: z.string().min(1), input: shallowJson });
export type StartRunRequest = z.infer<typeof startRunRequest>;

export const runSummary = z.object({
  runId: z.string(),
  agent: z.string(),
  status: runStatus,
  /** Why it is in this status, for a person. */
  reason: z.string(),
  model: z.string(),
  /** The version of the code that it stays on; absent when its pin names none. */
  version: z.int().positive().optional(),
  createdAt: z.number(),
  /** The last sign of life, ms since the epoch. */
  seenAt: z.number(),
  segment: z.number(),
  totals,
  /** The budgets it is held to now, with what people raised them by; one that is absent is not limited. */
  limits: z
    .object({
      turns: z.number(),
      seconds: z.number().optional(),
      tokens: z.number().optional(),
      costUsd: z.number().optional(),
    })
    .optional(),
  /** An estimate at list prices, US dollars; absent while the price of a reply is not known. */
  costUsd: z.number().optional(),
  /** The step in flight, `<kind>:<cursor>`, and how often it was begun. */
  step: z.string(),
  attempts: z.number(),
  /** Until when the run waits for an overloaded model or a call that may still be at work, ms since the epoch. */
  waitUntil: z.number().optional(),
  /** The open ask, when status is `waiting`. */
  ask: z.object({ id: z.string(), kind: askKind }).optional(),
  /** The task list of the agent, as it set it last; in the answer about a single run only. */
  plan: plan.optional(),
  /** The view starts from a summary of the records up to here. */
  summarizedTo: z.number().optional(),
  /** When the run is removed, ms since the epoch: it is over, and its agent says how long it is kept. */
  removeAt: z.number().optional(),
  /** When it was erased, by whom, and what was removed: all that is left of it. */
  erased: erased.optional(),
  /** When and by whom it was read from a file: it is here to be looked at. */
  imported: z.object({ at: z.number(), by: z.string() }).optional(),
  /** True when a cancel was asked for and is not yet done. */
  cancelling: z.boolean().optional(),
  /** The run that it starts over, or from which it branches off after record `at`. */
  parent: parent.omit({ root: true }).optional(),
  /** The runs that start it over or branch off from it. */
  children: z.array(z.string()).optional(),
  /** The run that goes on in its place. */
  restartedAs: z.string().optional(),
});
export type RunSummary = z.infer<typeof runSummary>;

/** 202 of `POST /runs`; the same on every repeat with the same `Idempotency-Key`. */
export const startRunResponse = z.object({ runId: z.string(), status: runStatus });

/** `GET /runs?status=&agent=&limit=&before=`: newest first; `next` is the `before` of the next page. */
export const listRunsQuery = z.object({
  status: runStatus.optional(),
  agent: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(20),
  before: z.string().optional(),
});
export const listRunsResponse = z.object({ runs: z.array(runSummary), next: z.string().optional() });

/** `GET /runs/{id}?wait=&status=`: with `wait` (s) answers when the status is no longer `running`, or after that time. */
export const showRunQuery = z.object({ wait: z.coerce.number().min(0).max(MAX_WAIT_SECONDS).default(0) });

/**
 * `GET /runs/{id}/records?after=&wait=&limit=`: records above `after` in order, until one comes back empty: a page holds
 * fewer than `limit` when they are large. With `wait` (s) it answers as soon as there is one.
 */
export const listRecordsQuery = z.object({
  after: z.coerce.number().int().min(0).default(0),
  wait: z.coerce.number().min(0).max(MAX_WAIT_SECONDS).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(MAX_PAGE),
});
/** A stored part of the view of a run. `current`: the view starts from it. */
export const shownSummary = viewSummary.omit({ v: true, spent: true }).extend({ current: z.boolean() });
export type ShownSummary = z.infer<typeof shownSummary>;
/** `GET /runs/{id}/summaries?before=`: the newest below a seq, as many as fit into an answer. */
export const listSummariesQuery = z.object({ before: z.coerce.number().int().positive().optional() });
/** Oldest first, those that were thrown away too; with `before` there are older ones, below that seq. */
export const listSummariesResponse = z.object({ run: runSummary, summaries: z.array(shownSummary), before: z.number().optional() });
/** `POST /runs/{id}/summaries/{seq}/discard` and `/remake`; `by` says who wants it. */
export const summaryResponse = z.object({ run: runSummary, summary: shownSummary });

export const listRecordsResponse = z.object({ run: runSummary, records: z.array(shownRecord) });

/** Characters of one piece: Lambda answers at most 6 MB, in which a character may take 3 bytes. */
export const PIECE_CHARACTERS = 1_000_000;
/** `GET /runs/{id}/records/{seq}?from=`: a record whole, as a piece of its JSON text from a character on. */
export const recordPieceQuery = z.object({ from: z.coerce.number().int().min(0).default(0) });
export const recordPieceResponse = z.object({
  seq: z.number(),
  /** Of the whole text. */
  characters: z.number(),
  from: z.number(),
  text: z.string(),
  /** The `from` of the next piece; absent with the last one. */
  next: z.number().optional(),
});

/** `GET /runs/{id}/files/{sha256}?name=`: a file that a record names; `name` is what it is saved as. */
export const showFileQuery = z.object({ name: z.string().min(1).max(200).optional() });
/** The most bytes of a file in one answer, of which Lambda takes 6 MB as base64: larger files come in pieces, by `Range`. */
export const MAX_PIECE_BYTES = 4_000_000;

/** What the runs of an agent have spent on a day, UTC, and what they may; a limit that is absent is none. */
export const dayTotals = z.object({
  day: z.string(),
  runs: z.number(),
  totals,
  /** Absent while the price of a reply is not known. */
  costUsd: z.number().optional(),
  limits: z.object({ runs: z.number().optional(), tokens: z.number().optional(), costUsd: z.number().optional() }),
});
export type DayTotals = z.infer<typeof dayTotals>;

export const agentSummary = z.object({
  name: z.string(),
  description: z.string(),
  model: z.string(),
  tools: z.array(z.object({ name: z.string(), description: z.string(), effect: z.string() })),
  /** Of an agent that has a budget for each day. */
  today: dayTotals.optional(),
});
export const listAgentsResponse = z.object({ agents: z.array(agentSummary) });

/** What somebody did to a notice, and when. */
const deed = z.object({ by: z.string(), at: z.number() });

/** One recipient of an ask, and what came of writing there. */
export const noticeSummary = z.object({
  /** A mail address, or `webhook:<name>`. */
  recipient: z.string(),
  /** `pending` before the first try, and after somebody had it sent again. */
  state: z.enum(['pending', 'sent', 'failed', 'revoked']),
  sentAt: z.number().optional(),
  /** Why it did not arrive, as far as that is known. */
  error: z.string().optional(),
  /** When it is tried next, ms since the epoch; absent when it is not. */
  nextTryAt: z.number().optional(),
  /** Who had it sent last, when that was a person. */
  again: deed.optional(),
  /** Who took its link back. */
  revoked: deed.optional(),
});
export type NoticeSummary = z.infer<typeof noticeSummary>;

/** An open ask. */
export const askSummary = z.object({
  id: z.string(),
  runId: z.string(),
  agent: z.string(),
  ask: ask.and(z.object({ clipped: z.array(clipped).optional() })),
  /** What was said to it so far: it may need several people, or an answer to each of its questions. */
  answers: z.array(answer).default([]),
  /** Who was written to, and what came of it. */
  notices: z.array(noticeSummary).default([]),
});
export type AskSummary = z.infer<typeof askSummary>;

/** The most open asks that are listed at once. */
const MAX_ASKS = 1000;

/** `GET /asks?limit=&before=`: those of the newest runs first; `next` is the `before` of the next page. */
export const listAsksQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_ASKS).default(MAX_ASKS),
  before: z.string().optional(),
});
export const listAsksResponse = z.object({ asks: z.array(askSummary), next: z.string().optional() });

/** A file as it is sent: within JSON, an object of the one key `$file` with this. */
export const sentFile = z.strictObject({
  mediaType: z.string(),
  name: z.string().optional(),
  /** Its bytes, base64. */
  data: z.string(),
  /** Said, these must be those of the bytes. */
  sha256: z.string().optional(),
  bytes: z.number().optional(),
});
export type SentFile = z.infer<typeof sentFile>;

/** A message: its text, and files with it. */
export const messageRequest = z.strictObject({ text: z.string().min(1), files: z.array(sentFile).max(MAX_FILES).optional() });
export type MessageRequest = z.infer<typeof messageRequest>;
export const messageResponse = z.object({ runId: z.string(), messageId: z.string() });

/** A person's or program's name for the log. */
const name = z
  .string()
  .trim()
  .max(200)
  .refine((text) => text.trim() !== '' && text.isWellFormed(), 'it must be a name, not blank');
const by = name.optional();

/** `by` says who cancels or resumes, for the log. */
export const steerRequest = z.strictObject({ by });
/** `version` says which of the summaries at that record is meant: then a repeat leaves alone what was made in its place. */
export const discardRequest = steerRequest.extend({ version: z.int().positive().optional() });
export const steerResponse = z.object({ run: runSummary });

/** `by` answers for it; `expect` stands for the changes that they were shown, and nothing else is adopted. */
export const repinRequest = z.strictObject({ by: name, expect: z.string().max(100).optional() });

/** What a run is pinned to, and how the code in service differs. */
export const pinResponse = z.object({
  runId: z.string(),
  pin: servedPin,
  /** Instructions, settings and tools in full; absent for runs of older code. */
  pinned: pinned.optional(),
  /** Absent when the code in service has no such agent. */
  drift: z
    .object({ changes: z.array(z.string()).readonly(), changedTools: z.array(z.string()).readonly(), hash: z.string(), today: pin })
    .optional(),
});
export type PinResponse = z.infer<typeof pinResponse>;

/** `by` says who has the run started over. A run is started over once: a repeat answers with the same new run. */
export const restartRequest = z.strictObject({ by });
/** `at` is the last record that the new run shares; `message` is the first thing it is told after that. */
export const forkRequest = z.strictObject({ at: z.int().positive(), message: z.string().min(1).optional(), by });
export type ForkRequest = z.infer<typeof forkRequest>;
/** 202 of `POST /runs/{id}/restart` and `POST /runs/{id}/fork`: the new run. */
export const branchResponse = z.object({ run: runSummary });

/** By how much budgets of a run are raised, who does it, and what the agent is told with it. */
export const budgetRequest = z.strictObject({ raise: z.strictObject(raises.shape), text: z.string().min(1).max(10_000).optional(), by });
export type BudgetRequest = z.infer<typeof budgetRequest>;

/** `DELETE /runs/{id}`: removes what a run was. One that is not over is cancelled first when `cancel` is true, and refused else. */
export const eraseRequest = z.strictObject({ by, cancel: z.boolean().optional() });
/** `done` is false while there is more to remove, or a step to end: send it again, or leave it to the sweep. */
export const eraseResponse = z.object({ run: runSummary, done: z.boolean() });

/** A place in the lines of an exported run: a line, and a character of it. */
export const exportAt = z.object({
  at: z.string().regex(/^(meta|(record|effect|summary|pin|message|file):\d{1,10})$/),
  from: z.coerce.number().int().min(0),
});
export type ExportAt = z.infer<typeof exportAt>;
/** `GET /runs/{id}/export?at=&from=`: a piece of the lines; `next` is where the one after it begins. */
export const exportQuery = z.object({ at: exportAt.shape.at.default('meta'), from: exportAt.shape.from.default(0) });
export const exportResponse = z.object({ text: z.string(), next: exportAt.optional() });
/** `POST /runs/{id}/import`: lines of an exported run (`whole` with the last of them), a part of a long one, or the parts of a whole one. */
export const importRequest = z.union([
  z.strictObject({ by, lines: z.array(z.string()).max(10_000), whole: z.literal(true).optional() }),
  z.strictObject({ part: z.base64() }),
  z.strictObject({ by, parts: z.array(blobPointer).min(1).max(200) }),
]);
export const importResponse = z.object({ run: runSummary });
export const importPartResponse = z.object({ part: blobPointer });

/** Who is written to, or whose link is taken back; `by` says who wants it. */
export const noticeRequest = z.strictObject({ to: z.string().min(1).max(320), by });
export const noticeResponse = z.object({ notice: noticeSummary });

const comment = z.string().max(4_000).optional();

const said = {
  output: shallowJson.optional(),
  comment,
  /** Other arguments, with `approve`. */
  input: shallowJson.optional(),
  /** By how much a budget is raised, with `raise`; as much as the ask offers when absent. */
  amount: z.number().positive().optional(),
  /** The model that the run goes on with, with `repin`, where its own is no more. */
  model: z.string().min(1).max(300).optional(),
};

/** Either one `decision` for all questions that are open, or an entry in `answers` for each that is answered now. */
export const answerRequest = z.strictObject({
  by,
  decision: answerTo.shape.decision.optional(),
  ...said,
  answers: z
    .array(z.strictObject({ index: answerTo.shape.index, decision: answerTo.shape.decision, ...said }))
    .min(1)
    .optional(),
});
export type AnswerRequest = z.infer<typeof answerRequest>;
export const answerResponse = z.object({ run: runSummary, record: shownRecord });

/** `POST /c/{id}?t=`: the result of a call that said `pending()`, why there is none, or a sign that it is still worked on. */
export const callbackRequest = z
  .strictObject({
    output: shallowJson.optional(),
    error: z.string().min(1).max(10_000).optional(),
    heartbeat: z.literal(true).optional(),
  })
  .refine((body) => Object.keys(body).length === 1, 'give one of output, error and heartbeat')
  .transform((body) => body as CallbackRequest);
export type CallbackRequest = { readonly output: Json } | { readonly error: string } | { readonly heartbeat: true };
export const callbackResponse = z.object({ accepted: z.literal(true) });

/** RFC 9457, `application/problem+json`. `field` names the part of the request to blame. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  field: z.string().optional(),
});
export type Problem = z.infer<typeof problem>;
