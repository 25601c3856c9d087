import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATA_VARIABLE, readTasks, readTools, type ShopTask, TASK_SETS } from '../../agents/tau-retail/data.ts';
import { repliesOf } from '../../agents/tau-retail/script.ts';
import { MODES, openDesk } from '../../agents/tau-retail/shop/desk.ts';
import { readStock, type Stock } from '../../agents/tau-retail/shop/shop.ts';
import { isWrite, toolsFor } from '../../agents/tau-retail/tools.ts';
import { isSame } from '../chaos/truth.ts';
import { writeSmallShop } from '../support/small-shop.ts';

/** The full data is not part of the project; where it is not at hand, the small shop alone is checked. */
const full = resolve(process.env[DATA_VARIABLE] ?? join(import.meta.dirname, '../../../shared/tau-retail'));
const small = mkdtempSync(join(tmpdir(), 'small-shop-'));

beforeAll(() => writeSmallShop(small));
afterAll(() => rmSync(small, { recursive: true, force: true }));

const tasksOf = (folder: string) => TASK_SETS.flatMap((set) => readTasks(folder, set).map((task) => ({ set, task })));

/** Makes the calls of a task at a desk of its own; returns what is not as it should be. */
function faultsOf(stock: Stock, set: string, { task, calls, changed }: ShopTask): string[] {
  const desk = openDesk(stock);
  const wrong = calls.filter(({ name, input, output }, i) => {
    const said = outcomeOf(() => desk.call('keys', name, input, `${task}/${i}`));
    return !isSame(said as never, output);
  });
  const rows = JSON.stringify(sorted(desk.report().changed)) === JSON.stringify(sorted(changed)) ? [] : ['its rows differ'];
  return [...wrong.map(({ name }) => `${name} answers wrongly`), ...rows].map((fault) => `${set} ${task}: ${fault}`);
}

function outcomeOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (refusal) {
    return (refusal as Error).message;
  }
}

/** The same value with the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([key, each]) => [key, sorted(each)]),
  );
}

function checkAll(folder: string, tasks: number): void {
  const stock = readStock(folder);
  const all = tasksOf(folder);
  expect(all.flatMap(({ set, task }) => faultsOf(stock, set, task))).toEqual([]);
  expect(all).toHaveLength(tasks);
}

describe('the shop', () => {
  it('gives every true output and row of the small shop', () => checkAll(small, 7));

  it(
    existsSync(full)
      ? 'gives every true output and row of the 615 tasks'
      : `has not been checked with the 615 tasks: ${full} is not there, and ${DATA_VARIABLE} names no other folder`,
    () => checkAll(existsSync(full) ? full : small, existsSync(full) ? 615 : 7),
  );

  it('does a thing once under one key in the mode "keys", and every time in the others', () => {
    for (const mode of MODES) {
      const desk = openDesk(readStock(small));
      const moveAgain = () => desk.call(mode, 'modify_user_address', { user_id: 'ben_2', address1: '9 Yew' }, 'k');
      expect(moveAgain()).toEqual(moveAgain());
      expect(desk.report()).toMatchObject({
        applied: mode === 'keys' ? [{ key: 'k' }] : [{ key: 'k' }, { key: 'k' }],
        repeated: mode === 'keys' ? [] : ['k'],
        deduped: mode === 'keys' ? ['k'] : [],
      });
      expect(desk.find('k')?.tool).toBe('modify_user_address');
    }
  });

  it('changes and records nothing when it refuses', () => {
    const desk = openDesk(readStock(small));
    const refused = [
      ['cancel_pending_order', { order_id: '#W2', reason: 'no longer needed' }],
      ['modify_pending_order_items', { order_id: '#W1', item_ids: ['201'], new_item_ids: ['202'], payment_method_id: 'gift_card_1' }],
      [
        'exchange_delivered_order_items',
        { order_id: '#W2', item_ids: ['101', '101'], new_item_ids: ['102', '102'], payment_method_id: 'paypal_1' },
      ],
      ['return_delivered_order_items', { order_id: '#W2', item_ids: ['101'], payment_method_id: 'constructor' }],
      ['modify_user_address', { user_id: 'constructor' }],
      ['toString', {}],
      ['calculate', { expression: 'process.exit()' }],
      ['calculate', { expression: '1 / 0' }],
    ] as const;
    for (const [tool, input] of refused) expect(() => desk.call('blind', tool, input, 'k')).toThrow(/^Error: /);
    expect(desk.report()).toEqual({ applied: [], repeated: [], deduped: [], found: [], changed: {} });
  });
});

describe('toolsFor()', () => {
  it('makes reads of what changes nothing, and gives writes the class of the mode', () => {
    for (const [mode, effect] of [
      ['keys', 'idempotent'],
      ['find', 'reconcile'],
      ['blind', 'once'],
    ] as const) {
      const tools = toolsFor(readTools(small), mode);
      expect(tools).toHaveLength(16);
      for (const tool of tools) expect(tool.effect).toBe(isWrite(tool.name) ? effect : 'read');
    }
  });

  it('accepts the arguments of every task as they are, and no others', () => {
    const folder = existsSync(full) ? full : small;
    const tools = new Map(toolsFor(readTools(folder), 'blind').map((tool) => [tool.name, tool]));
    for (const { task } of tasksOf(folder)) {
      for (const { name, input } of task.calls) expect(tools.get(name)?.input.parse(input)).toEqual(input);
    }
    expect(tools.get('think')?.input.safeParse({ thought: 'a', more: 'b' }).success).toBe(false);
  });
});

describe('repliesOf()', () => {
  it('makes the calls of every task in their order, with no read after a write in one reply', () => {
    for (const { task } of tasksOf(small)) {
      const replies = repliesOf(task).map((reply) => ('calls' in reply ? (reply.calls ?? []) : []));
      expect(replies.flat()).toEqual(task.calls.map(({ name, input }) => ({ tool: name, input })));
      for (const calls of replies) {
        const writes = calls.map(({ tool }) => isWrite(tool));
        expect(writes).toEqual(writes.toSorted());
      }
    }
  });

  it('shares calls out in three ways, by the number of the task', () => {
    const calls = ['get_order_details', 'think', 'cancel_pending_order', 'return_delivered_order_items', 'think'].map((name) => ({
      name,
      input: {},
      output: '',
    }));
    const sizes = (task: number) =>
      repliesOf({ task, instruction: '', calls, changed: {} }).map((reply) => ('calls' in reply ? reply.calls?.length : 0));
    expect([sizes(0), sizes(1), sizes(2)]).toEqual([
      [2, 1, 1, 1],
      [4, 1],
      [1, 1, 1, 1, 1],
    ]);
  });
});
