import { canonical, type Json } from './json.ts';
import { lineDiff } from './line-diff.ts';
import type { Pinned, PinnedSpec } from './pinned.ts';

/** What a run is pinned to, and what would take its place. */
export interface Side {
  readonly model: string;
  readonly pinned: Pinned;
}

/** Says what is different, a sentence or a few lines each; nothing when all is the same. Pure. */
export function changesBetween(before: Side, after: Side): string[] {
  const [a, b] = [before.pinned, after.pinned];
  return [
    ...(before.model === after.model ? [] : [`model: ${before.model} became ${after.model}`]),
    ...textChange('instructions', a.instructions, b.instructions),
    ...(canonical(a.settings) === canonical(b.settings)
      ? []
      : [`settings of the model: ${canonical(a.settings)} became ${canonical(b.settings)}`]),
    ...toolChanges(a.tools, b.tools),
  ];
}

/** A text of one line is quoted whole, before and after. */
function textChange(what: string, before: string, after: string): string[] {
  if (before === after) return [];
  if (!`${before}${after}`.includes('\n')) return [`${what}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`];
  // Lines that look alike must not be shown as others without a word.
  const alike = inkOf(before) === inkOf(after);
  const lines = lineDiff(before, after).map((line) => (alike ? `${line.slice(0, 2)}${JSON.stringify(line.slice(2))}` : line));
  return [[`${what}${alike ? ', in blanks alone' : ''}:`, ...lines].join('\n')];
}

const inkOf = (text: string): string => text.replaceAll(/\s+/g, '');

function toolChanges(before: readonly PinnedSpec[], after: readonly PinnedSpec[]): string[] {
  const gone = before.filter(({ name }) => !find(after, name)).map(({ name }) => `tool ${name} is gone`);
  const rest = after.flatMap((tool) => {
    const was = find(before, tool.name);
    return was ? toolChange(was, tool) : [`tool ${tool.name} is new`];
  });
  const names = (tools: readonly PinnedSpec[]) => tools.map(({ name }) => name).join(' ');
  const sorted = gone.length + rest.length === 0 && names(before) !== names(after) ? ['the order of the tools is another'] : [];
  return [...gone, ...rest, ...sorted];
}

const find = (tools: readonly PinnedSpec[], name: string) => tools.find((tool) => tool.name === name);

function toolChange(before: PinnedSpec, after: PinnedSpec): string[] {
  const { name } = after;
  const { onRepeat: was = 'run' } = before;
  const { onRepeat: is = 'run' } = after;
  return [
    ...(before.class === after.class ? [] : [`class of ${name}: ${before.class} became ${after.class}`]),
    ...(before.approval === after.approval ? [] : [`approval of ${name}: ${before.approval} became ${after.approval}`]),
    ...(was === is ? [] : [`onRepeat of ${name}: ${was} became ${is}`]),
    ...textChange(`description of ${name}`, before.description, after.description),
    ...schemaChanges(name, before.inputSchema, after.inputSchema),
  ];
}

type Fields = { readonly [name: string]: Json };

/** Names the fields that are new, gone or another; what else a schema may say is told as a whole. */
function schemaChanges(tool: string, before: Json, after: Json): string[] {
  if (canonical(before) === canonical(after)) return [];
  const [a, b] = [fieldsOf(before), fieldsOf(after)];
  const changes = [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) => fieldChange(tool, name, { before, after }));
  return changes.length > 0 ? changes : [`tool ${tool}: its schema ${canonical(before)} became ${canonical(after)}`];
}

function fieldChange(tool: string, name: string, { before, after }: { before: Json; after: Json }): string[] {
  const [was, is] = [own(fieldsOf(before), name), own(fieldsOf(after), name)];
  const [had, has] = [isRequired(before, name), isRequired(after, name)];
  const field = `field ${JSON.stringify(name)}`;
  if (was === undefined) return [`tool ${tool}: new ${has ? 'required ' : ''}${field}`];
  if (is === undefined) return [`tool ${tool}: ${field} is gone`];
  return [
    ...(had === has ? [] : [`tool ${tool}: ${field} is ${has ? 'now required' : 'no longer required'}`]),
    ...(canonical(was) === canonical(is) ? [] : [`tool ${tool}: ${field}: ${canonical(was)} became ${canonical(is)}`]),
  ];
}

const own = (fields: Fields, name: string): Json | undefined => (Object.hasOwn(fields, name) ? fields[name] : undefined);

const fieldsOf = (schema: Json): Fields => ((schema as { properties?: Fields } | null)?.properties ?? {}) as Fields;

const isRequired = (schema: Json, name: string): boolean =>
  ((schema as { required?: Json } | null)?.required as Json[] | undefined)?.includes(name) ?? false;

/** What is shown of changes at most, characters: an ask must be readable, and the API has the whole. */
const MAX_SHOWN = 8_000;

/** The changes as lines for a person, cut where they are too long to be read at once. */
export function changesText(changes: readonly string[]): string {
  const text = changes.map((change) => `- ${change.replaceAll('\n', '\n  ')}`).join('\n');
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}\n(cut: ${text.length} characters in all)`;
}
