import { fileWords } from '../shared/file.ts';
import type { Answer, Ask, Call, End, Question, Reply, Result, Results, RunRecord } from '../shared/record.ts';
import type { ShownRecord } from '../shared/shown-record.ts';
import { askId } from '../shared/tables.ts';
import { briefly, clipped, oneLine } from './clean.ts';
import { duration, type Paint, type Style } from './output.ts';

/** A run's log as lines for a reader. Pure: the same records give the same lines. */

export interface TimelineSettings {
  readonly runId: string;
  readonly paint: Paint;
  /** Characters of one line, about. */
  readonly width: number;
}

/** What one record says: a heading, and the lines below it. */
interface Part {
  readonly heading: string;
  readonly below: readonly string[];
}

/** The room that is left of a line, and how much of a long text is shown. */
const INDENT = 24;
const TEXT_LINES = 16;
const TEXT_CHARACTERS = 1_600;
/** What went wrong is worth more than one line. */
const FAULT_CHARACTERS = 400;

/** The lines of one record. `log` is what is known of the log: its first record, and those that this one answers. */
export function recordLines(record: ShownRecord, log: readonly RunRecord[], settings: TimelineSettings): string[] {
  const { paint } = settings;
  const started = log[0]?.at ?? record.at;
  const { heading, below } = partOf(record, log, settings);
  const place = `${`+${duration(record.at - started)}`.padStart(8)}  ${`#${record.seq}`.padStart(4)}`;
  return [
    `${paint('dim', place)}  ${paint('bold', record.type.padEnd(7))} ${heading}`,
    ...[...below, ...clippedLines(record, settings)].map((line) => `${' '.repeat(INDENT)}${line}`),
  ];
}

/** Places that are named of a record with many that are shown in part. */
const CLIPPED_PLACES = 5;

/** What of a record the service itself showed in part only. */
function clippedLines({ seq, clipped = [] }: ShownRecord, { runId, paint }: TimelineSettings): string[] {
  if (clipped.length === 0) return [];
  const places = clipped.slice(0, CLIPPED_PLACES).map(({ path, bytes }) => `${oneLine(path, 80)}: ${bytes} bytes, shown in part`);
  const more = clipped.length > CLIPPED_PLACES ? [`… (${clipped.length - CLIPPED_PLACES} more)`] : [];
  return [...places, ...more, `whole: holdfast show ${runId} --record ${seq}`].map((line) => paint('dim', line));
}

/** The lines of a log. */
export const timelineLines = (log: readonly ShownRecord[], settings: TimelineSettings): string[] =>
  log.flatMap((record) => recordLines(record, log, settings));

const messageLines = ({ text, files = [] }: Extract<RunRecord, { type: 'user' }>['messages'][number]): string[] => [
  ...textLines(text),
  ...files.map((file) => oneLine(`[file ${fileWords(file)}]`, TEXT_CHARACTERS)),
];

function partOf(record: RunRecord, log: readonly RunRecord[], settings: TimelineSettings): Part {
  switch (record.type) {
    case 'task':
      return {
        heading: `${oneLine(record.agent, 40)} ${briefly(record.input, room(settings))}`,
        below: record.facts === undefined ? [] : textLines(record.facts),
      };
    case 'user':
      return {
        heading: countOf(record.messages.length, 'message'),
        below: record.messages.flatMap(messageLines),
      };
    case 'reply':
      return replyPart(record, settings);
    case 'results':
      return resultsPart(record, replyAt(log, record.reply), settings);
    case 'ask':
      return askPart(record, settings);
    case 'answer':
      return answerPart(record, settings);
    case 'end':
      return endPart(record, log, settings);
  }
}

const room = ({ width }: TimelineSettings): number => Math.max(40, width - INDENT);

const countOf = (n: number, thing: string): string => `${n} ${thing}${n === 1 ? '' : 's'}`;

/** A text of several lines, clipped in both directions. */
function textLines(text: string): string[] {
  const lines = clipped(text.trim(), TEXT_CHARACTERS).split('\n');
  const shown = lines.slice(0, TEXT_LINES).map((line) => line.trimEnd());
  return lines.length > TEXT_LINES ? [...shown, `… (${countOf(lines.length - TEXT_LINES, 'line')} more)`] : shown;
}

function replyPart(reply: Reply, settings: TimelineSettings): Part {
  const facts = [
    ...(reply.calls.length > 0 ? [countOf(reply.calls.length, 'call')] : []),
    `${reply.usage.inputTokens} in, ${reply.usage.outputTokens} out tokens`,
    duration(reply.ms),
    oneLine(reply.servedModel ?? reply.model, 60),
    ...(reply.attempts > 1 ? [settings.paint('yellow', countOf(reply.attempts, 'attempt'))] : []),
    ...(reply.finish === 'stop' || reply.finish === 'calls' ? [] : [settings.paint('yellow', `finish: ${reply.finish}`)]),
  ];
  const said = reply.text.trim() ? textLines(reply.text) : [];
  return { heading: settings.paint('dim', facts.join(' · ')), below: [...said, ...reply.calls.map((call) => callLine(call, settings))] };
}

function callLine(call: Call, settings: TimelineSettings): string {
  const { paint } = settings;
  const name = oneLine(call.tool, 64);
  const head = `→ [${call.index}] ${paint('cyan', name)} ${paint('dim', call.class)}`;
  const input = briefly(call.input ?? call.rawInput ?? null, Math.max(20, room(settings) - name.length - 20));
  const note = call.invalid ? paint('red', ` invalid: ${oneLine(call.invalid, 200)}`) : '';
  return `${head} ${input}${note}${paint('yellow', needOf(call))}`;
}

const needOf = ({ approval, question }: Call): string => (question ? ' asks a person' : approval ? ' needs approval' : '');

function resultsPart(record: Results, reply: Reply | undefined, settings: TimelineSettings): Part {
  const failed = record.results.filter((result) => !result.ok).length;
  const heading =
    failed > 0 ? `${record.results.length - failed} ok, ${settings.paint('red', `${failed} not ok`)}` : `${record.results.length} ok`;
  return { heading, below: record.results.map((result) => resultLine(result, reply, settings)) };
}

function resultLine(result: Result, reply: Reply | undefined, settings: TimelineSettings): string {
  const { paint } = settings;
  const name = oneLine(reply?.calls.find((call) => call.index === result.index)?.tool ?? 'call', 64);
  const mark = result.ok ? paint('green', '✓') : paint('red', '✗');
  const facts = [
    ...(result.ms === undefined ? [] : [duration(result.ms)]),
    ...(result.attempts > 1 ? [countOf(result.attempts, 'attempt')] : []),
    ...(result.effect && result.effect.state !== 'none' ? [`effect ${result.effect.state}`] : []),
    ...(result.reused ? ['reused'] : []),
    ...(result.edited ? ['edited'] : []),
  ];
  const told = facts.join(' · ');
  const output = briefly(result.output, result.ok ? Math.max(40, room(settings) - name.length - told.length - 10) : FAULT_CHARACTERS);
  return `${mark} [${result.index}] ${paint('cyan', name)} ${paint('dim', told)} ${output}`;
}

function askPart(ask: Ask, settings: TimelineSettings): Part {
  const heading = `${settings.paint('yellow', ask.kind)} (${oneLine(ask.reason, 80)}) ${settings.paint('dim', askId(settings.runId, ask.seq))}`;
  return { heading, below: ask.questions.flatMap((question) => questionLines(question, settings)) };
}

/** The lines of one question of an ask. Who consents must see what is asked: its input is shown at more length than others. */
export function questionLines(question: Question, { paint }: Pick<TimelineSettings, 'paint'>): string[] {
  const about = question.tool === undefined ? '' : `${paint('cyan', oneLine(question.tool, 64))} `;
  const input = question.input === undefined ? '' : briefly(question.input, TEXT_CHARACTERS);
  const place = question.index === undefined ? '?' : `? [${question.index}]`;
  const [first = '', ...more] = textLines(question.text);
  const head = about || input ? [`${place} ${about}${input}`.trimEnd(), `  ${first}`] : [`${place} ${first}`];
  const facts = [`answers: ${question.choices.join(', ')}`, ...termsOf(question)];
  return [...head, ...more.map((line) => `  ${line}`), paint('dim', `  ${facts.join('; ')}`)];
}

/** What else there is to know before one answers. */
function termsOf({ options, needs, approvers, budget }: Question): string[] {
  return [
    ...(budget ? [`raise by ${budget.by} unless you say another amount, from ${budget.least} to ${budget.most}`] : []),
    ...(options ? [`choose one of ${options.map((option) => `"${oneLine(option, 80)}"`).join(', ')}`] : []),
    ...(needs ? [`${needs} people must approve`] : []),
    ...(approvers ? [`asked of ${oneLine(approvers.join(', '), 200)}`] : []),
  ];
}

const GOOD = new Set(['approve', 'done', 'retry', 'repin', 'result', 'raise', 'finish']);

function answerPart(answer: Answer, settings: TimelineSettings): Part {
  const lines = answer.answers.map(({ index, decision, output, comment, edit, amount }) => {
    const place = index === undefined ? '' : `[${index}] `;
    const value = output === undefined ? '' : ` ${briefly(output, room(settings) - 30)}`;
    const changed = edit ? settings.paint('yellow', ` with ${briefly(edit.input, TEXT_CHARACTERS)}`) : '';
    const remark = comment ? ` "${oneLine(comment, 200)}"` : '';
    return `${place}${settings.paint(GOOD.has(decision) ? 'green' : 'red', decision)}${amount === undefined ? '' : ` by ${amount}`}${changed}${value}${remark}`;
  });
  return { heading: `by ${oneLine(answer.by, 80)} (${answer.via}), to #${answer.ask}`, below: lines };
}

const END_STYLE: Record<End['status'], Style> = { completed: 'green', failed: 'red', cancelled: 'yellow' };

/** The last text is shown once: it mostly is that of the last reply. */
function endPart(end: End, log: readonly RunRecord[], { paint }: TimelineSettings): Part {
  const last = log.findLast((record) => record.type === 'reply' && record.seq < end.seq);
  const shown = last?.type === 'reply' && last.text.trim() === end.text.trim();
  return {
    heading: `${paint(END_STYLE[end.status], end.status)} (${oneLine(end.reason, 80)})`,
    below: shown || !end.text.trim() ? [] : textLines(end.text),
  };
}

const replyAt = (log: readonly RunRecord[], seq: number): Reply | undefined =>
  log.findLast((record): record is Reply => record.type === 'reply' && record.seq === seq);
