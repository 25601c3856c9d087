import { outputText } from './clip-results.ts';
import { type Committed, committedEffects } from './committed.ts';
import type { Log } from './log.ts';
import { providerCallId } from './model.ts';
import { type Plan, planOf, planText } from './plan.ts';
import type { RunRecord } from './record.ts';
import { runningFold } from './running-fold.ts';
import { messageText } from './shown-files.ts';
import { messageId } from './text-id.ts';
import { plainLength } from './tokens.ts';

/**
 * What an agent must not forget of the records up to `through`, as the log has it: its plan, what it has done outside, and
 * what it was told. At most `max` characters: three eighths for the plan, as many for the effects, a quarter for messages.
 */
export function factsOf(log: Log, through: number, max: number): string {
  const plan = planOf(log, through);
  return [
    plan ? planFacts(plan, Math.floor((max * 3) / 8)) : '',
    effectFacts(committedEffects(log, through), Math.floor((max * 3) / 8)),
    messageFacts(log, through, Math.floor(max / 4)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The plan as it was set last; its items share the room. */
export function planFacts({ items }: Plan, max: number): string {
  const heading = 'Your plan, as you set it last:\n';
  const room = max - plainLength(heading);
  const whole = planText({ items });
  if (plainLength(whole) <= room) return heading + whole;
  const each = Math.max(MIN_ITEM, Math.floor((room - MORE) / items.length) - MARK);
  const lines = items.map((item) => planText({ items: [{ ...item, text: cut(item.text, each) }] }));
  const fit = fitting(lines, room - MORE, (line) => line);
  const left = lines.length - fit.length;
  return heading + [...fit, ...(left > 0 ? [`and ${left} more items`] : [])].join('\n');
}

/** The least of an item of a plan that tells anything, what its mark takes, and a line that says how many are left, characters. */
const MIN_ITEM = 20;
const MARK = 8;
const MORE = 20;

/** What was done outside: the newest with arguments and results, older ones by their names, the oldest by their number. */
export function effectFacts(effects: readonly Committed[], max: number): string {
  if (effects.length === 0) return '';
  const heading = 'What you have done outside so far, none of which may be done again:\n';
  const room = max - plainLength(heading);
  const newest = effects.toReversed();
  const full = fitting(newest, room * (2 / 3), fullLine);
  const older = newest.slice(full.length);
  if (older.length === 0) return heading + full.toReversed().join('\n');
  const used = full.reduce((sum, line) => sum + plainLength(line) + 1, 0);
  const short = fitting(older, room - used - COUNTS, shortLine);
  return heading + [...countLine(older.slice(short.length).toReversed()), ...short.toReversed(), ...full.toReversed()].join('\n');
}

/** The room that is kept for the line of numbers, characters. */
const COUNTS = 120;

const fullLine = (effect: Committed): string =>
  `${nameOf(effect)} ${cut(JSON.stringify(effect.input), 300)} -> ${effect.state === 'done' ? cut(outputText(effect.output, providerCallId(effect.seq, effect.index)), 300) : 'nobody knows whether it happened'}`;

const shortLine = (effect: Committed): string =>
  `${nameOf(effect)} ${cut(JSON.stringify(effect.input), 60)}${effect.state === 'done' ? '' : ' (nobody knows whether it happened)'}`;

const nameOf = ({ seq, index, tool }: Committed): string => `${providerCallId(seq, index)} ${tool}`;

function countLine(effects: readonly Committed[]): string[] {
  if (effects.length === 0) return [];
  const tools = [...Map.groupBy(effects, ({ tool }) => tool)].map(([tool, { length }]) => `${tool} ${length}`);
  return [cut(`${effects.length} before these: ${tools.join(', ')}`, COUNTS)];
}

/** What the user said after the task, the newest of it. */
export function messageFacts(log: Log, through: number, max: number): string {
  const heading = 'What you were told after the task:\n';
  const each = Math.max(MIN_ITEM, Math.floor(max / 2));
  const said = userRecords(log).flatMap(({ seq, messages }) =>
    seq <= through ? messages.map((message, index) => ({ id: messageId(seq, index), message })) : [],
  );
  const lineOf = ({ id, message }: (typeof said)[number]) => `${id} ${cut(messageText(message, id).trim(), each)}`;
  const newest = fitting(said.toReversed(), max - plainLength(heading), lineOf).toReversed();
  return newest.length > 0 ? heading + newest.join('\n') : '';
}

const userRecords = runningFold<Extract<RunRecord, { type: 'user' }>[]>(
  () => [],
  (records, record) => {
    if (record.type === 'user') records.push(record);
  },
);

/** The lines of the first things that fit into a room together, characters of plain text. No others are made: there may be very many. */
function fitting<T>(things: readonly T[], room: number, lineOf: (thing: T) => string): string[] {
  const lines: string[] = [];
  let left = room;
  for (const thing of things) {
    const line = lineOf(thing);
    left -= plainLength(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  return lines;
}

/** A blank of one line stands for many, so this much of a text is enough to make a line of. */
const LOOKED_AT = 20;

/** What the mark of a cut takes. */
const ELLIPSIS = plainLength('…');

/** One line of at most so many characters of plain text. */
function cut(text: string, max: number): string {
  const line = text.slice(0, max * LOOKED_AT).replaceAll(/\s+/g, ' ');
  if (text.length <= max * LOOKED_AT && plainLength(line) <= max) return line;
  for (let length = Math.min(max - ELLIPSIS, line.length); ; ) {
    const shown = line.slice(0, length);
    const plain = plainLength(shown);
    if (plain <= max - ELLIPSIS || length <= 1) return `${shown.toWellFormed()}…`;
    length = Math.max(1, Math.floor((length * (max - ELLIPSIS)) / plain));
  }
}
