import { outputText } from './clip-results.ts';
import { type Committed, committedEffects } from './committed.ts';
import type { Log } from './log.ts';
import { providerCallId } from './model.ts';
import { type Plan, planOf, planText } from './plan.ts';
import type { RunRecord } from './record.ts';
import { runningFold } from './running-fold.ts';
import { messageText } from './shown-files.ts';
import { messageId } from './text-id.ts';

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
  const room = max - heading.length;
  const whole = planText({ items });
  if (whole.length <= room) return heading + whole;
  const each = Math.max(MIN_ITEM, Math.floor((room - MORE) / items.length) - MARK);
  const lines = items.map((item) => planText({ items: [{ ...item, text: cut(item.text, each) }] }));
  const fit = fitting(lines, room - MORE);
  const left = lines.length - fit.length;
  return heading + [...fit, ...(left > 0 ? [`and ${left} more items`] : [])].join('\n');
}

/** The least of an item of a plan that tells anything, what its mark takes, and a line that says how many are left, characters. */
const MIN_ITEM = 20;
const MARK = 5;
const MORE = 20;

/** What was done outside: the newest with arguments and results, older ones by their names, the oldest by their number. */
export function effectFacts(effects: readonly Committed[], max: number): string {
  if (effects.length === 0) return '';
  const heading = 'What you have done outside so far, none of which may be done again:\n';
  const room = max - heading.length;
  const full = fitting(effects.toReversed().map(fullLine), room * (2 / 3));
  const older = effects.slice(0, effects.length - full.length);
  if (older.length === 0) return heading + full.toReversed().join('\n');
  const used = full.reduce((sum, { length }) => sum + length + 1, 0);
  const short = fitting(older.toReversed().map(shortLine), room - used - COUNTS);
  const counted = older.slice(0, older.length - short.length);
  return heading + [...countLine(counted), ...short.toReversed(), ...full.toReversed()].join('\n');
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
  const said = userRecords(log).filter(({ seq }) => seq <= through);
  const each = Math.max(MIN_ITEM, Math.floor(max / 2));
  const lines = said.flatMap(({ seq, messages }) =>
    messages.map((message, index) => {
      const id = messageId(seq, index);
      return `${id} ${cut(messageText(message, id).trim(), each)}`;
    }),
  );
  const newest = fitting(lines.toReversed(), max - heading.length).toReversed();
  return newest.length > 0 ? heading + newest.join('\n') : '';
}

const userRecords = runningFold<Extract<RunRecord, { type: 'user' }>[]>(
  () => [],
  (records, record) => {
    if (record.type === 'user') records.push(record);
  },
);

/** The first lines that fit into a room together. */
function fitting(lines: readonly string[], room: number): string[] {
  let left = room;
  const over = lines.findIndex(({ length }) => {
    left -= length + 1;
    return left < 0;
  });
  return over < 0 ? [...lines] : lines.slice(0, over);
}

/** One line of at most so many characters. */
const cut = (text: string, max: number): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`;
};
