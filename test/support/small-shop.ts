import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A shop of three users, products and orders with tasks and their true answers, worked out by hand. */

const street = (address1: string, zip: string) => ({ address1, address2: '', city: 'Utrecht', state: 'UT', country: 'NL', zip });

const card = { source: 'credit_card', id: 'credit_card_1' };
const giftOf = (balance: number) => ({ source: 'gift_card', balance, id: 'gift_card_1' });

const ada = {
  name: { first_name: 'Ada', last_name: 'Quill' },
  address: street('1 Elm', '1000'),
  email: 'ada@example.org',
  payment_methods: { gift_card_1: giftOf(40), credit_card_1: card },
  orders: ['#W1'],
};
const ben = {
  name: { first_name: 'Ben', last_name: 'Rook' },
  address: street('2 Oak', '2000'),
  email: 'ben@example.org',
  payment_methods: { paypal_1: { source: 'paypal', id: 'paypal_1' } },
  orders: ['#W2'],
};
const cleo = {
  name: { first_name: 'Cleo', last_name: 'Finch' },
  address: street('3 Ash', '3000'),
  email: 'cleo@example.org',
  payment_methods: { gift_card_1: giftOf(5), credit_card_1: card },
  orders: ['#W3'],
};

const variant = (item_id: string, price: number, color: string, available = true) => ({ item_id, options: { color }, available, price });
const lamp = { name: 'Lamp', product_id: '100', variants: { '101': variant('101', 30.1, 'red'), '102': variant('102', 32.35, 'blue') } };
const mug = { name: 'Mug', product_id: '200', variants: { '201': variant('201', 8.2, 'red'), '202': variant('202', 7.45, 'blue', false) } };
const rug = { name: 'Rug', product_id: '300', variants: { '301': variant('301', 120, 'red'), '302': variant('302', 130, 'blue') } };

const redLamp = { name: 'Lamp', product_id: '100', item_id: '101', price: 30.1, options: { color: 'red' } };
const blueLamp = { ...redLamp, item_id: '102', price: 32.35, options: { color: 'blue' } };
const redMug = { name: 'Mug', product_id: '200', item_id: '201', price: 8.2, options: { color: 'red' } };
const redRug = { name: 'Rug', product_id: '300', item_id: '301', price: 120, options: { color: 'red' } };

const paid = (amount: number, payment_method_id: string) => ({ transaction_type: 'payment', amount, payment_method_id });
const refunded = (amount: number, payment_method_id: string) => ({ transaction_type: 'refund', amount, payment_method_id });

const w1 = {
  order_id: '#W1',
  user_id: 'ada_1',
  address: ada.address,
  items: [redLamp, redMug],
  status: 'pending',
  payment_history: [paid(38.3, 'gift_card_1')],
};
const w2 = {
  order_id: '#W2',
  user_id: 'ben_2',
  address: ben.address,
  items: [redLamp, redRug],
  status: 'delivered',
  payment_history: [paid(150.1, 'paypal_1')],
};
const w3 = {
  order_id: '#W3',
  user_id: 'cleo_3',
  address: cleo.address,
  items: [redRug],
  status: 'pending',
  payment_history: [paid(120, 'credit_card_1')],
};

const TABLES = {
  users: { ada_1: ada, ben_2: ben, cleo_3: cleo },
  products: { '100': lamp, '200': mug, '300': rug },
  orders: { '#W1': w1, '#W2': w2, '#W3': w3 },
};

const call = (name: string, input: Record<string, unknown>, output: unknown) => ({
  name,
  input,
  output: typeof output === 'string' ? output : JSON.stringify(output),
});

const withBalance = (user: typeof ada, balance: number) => ({
  ...user,
  payment_methods: { ...user.payment_methods, gift_card_1: giftOf(balance) },
});

const modifiedW1 = {
  ...w1,
  items: [blueLamp, redMug],
  status: 'pending (item modified)',
  payment_history: [...w1.payment_history, paid(2.25, 'gift_card_1')],
};
const cancelledW1 = {
  ...w1,
  status: 'cancelled',
  cancel_reason: 'no longer needed',
  payment_history: [...w1.payment_history, refunded(38.3, 'gift_card_1')],
};
const exchangedW2 = {
  ...w2,
  status: 'exchange requested',
  exchange_items: ['101', '301'],
  exchange_new_items: ['102', '302'],
  exchange_payment_method_id: 'paypal_1',
  exchange_price_difference: 12.25,
};
const returnedW2 = { ...w2, status: 'return requested', return_items: ['301'], return_payment_method_id: 'paypal_1' };
const movedW3 = { ...w3, address: street('4 Fir', '4000') };
const movedCleo = { ...cleo, address: street('4 Fir', '4000') };
const repaidW1 = {
  ...w1,
  payment_history: [...w1.payment_history, paid(38.3, 'credit_card_1'), refunded(38.3, 'gift_card_1')],
};

const gift = { payment_method_id: 'gift_card_1' };
const TASKS = {
  test: [
    [
      call('find_user_id_by_email', { email: 'ADA@example.org' }, 'ada_1'),
      call('get_user_details', { user_id: 'ada_1' }, ada),
      call('cancel_pending_order', { order_id: '#W1', reason: 'no longer needed' }, cancelledW1),
    ],
    [
      call('get_order_details', { order_id: '#W2' }, w2),
      call(
        'exchange_delivered_order_items',
        { order_id: '#W2', item_ids: ['301', '101'], new_item_ids: ['302', '102'], payment_method_id: 'paypal_1' },
        exchangedW2,
      ),
      call('get_order_details', { order_id: '#W2' }, exchangedW2),
    ],
    [
      call(
        'modify_pending_order_items',
        { order_id: '#W3', item_ids: ['301'], new_item_ids: ['302'], ...gift },
        'Error: insufficient gift card balance to pay for the new item',
      ),
      call('modify_user_address', { user_id: 'cleo_3', ...street('4 Fir', '4000') }, movedCleo),
      call('modify_pending_order_address', { order_id: '#W3', ...street('4 Fir', '4000') }, movedW3),
    ],
    [],
  ],
  train: [
    [
      call('calculate', { expression: '(32.35 - 30.1) * 2 / -3' }, '-1.5'),
      call('think', { thought: 'The lamp may be swapped.' }, ''),
      call('modify_pending_order_items', { order_id: '#W1', item_ids: ['101'], new_item_ids: ['102'], ...gift }, modifiedW1),
      call('transfer_to_human_agents', { summary: 'done' }, 'Transfer successful'),
    ],
    [
      call('find_user_id_by_name_zip', { first_name: 'Ada', last_name: 'quill', zip: '1000' }, 'ada_1'),
      call('get_product_details', { product_id: '900' }, 'Error: product not found'),
      call('modify_pending_order_payment', { order_id: '#W1', payment_method_id: 'credit_card_1' }, repaidW1),
    ],
    [
      call('list_all_product_types', {}, { Lamp: '100', Mug: '200', Rug: '300' }),
      call('return_delivered_order_items', { order_id: '#W2', item_ids: ['301'], payment_method_id: 'paypal_1' }, returnedW2),
    ],
  ],
};

const CHANGED = {
  test: [
    { users: { ada_1: withBalance(ada, 78.3) }, orders: { '#W1': cancelledW1 } },
    { orders: { '#W2': exchangedW2 } },
    { users: { cleo_3: movedCleo }, orders: { '#W3': movedW3 } },
    {},
  ],
  train: [
    { users: { ada_1: withBalance(ada, 37.75) }, orders: { '#W1': modifiedW1 } },
    { users: { ada_1: withBalance(ada, 78.3) }, orders: { '#W1': repaidW1 } },
    { orders: { '#W2': returnedW2 } },
  ],
};

/** The arguments of every tool: texts, or lists of texts. */
const TOOLS: Record<string, string[]> = {
  calculate: ['expression'],
  cancel_pending_order: ['order_id', 'reason'],
  exchange_delivered_order_items: ['order_id', 'item_ids', 'new_item_ids', 'payment_method_id'],
  find_user_id_by_email: ['email'],
  find_user_id_by_name_zip: ['first_name', 'last_name', 'zip'],
  get_order_details: ['order_id'],
  get_product_details: ['product_id'],
  get_user_details: ['user_id'],
  list_all_product_types: [],
  modify_pending_order_address: ['order_id', 'address1', 'address2', 'city', 'state', 'country', 'zip'],
  modify_pending_order_items: ['order_id', 'item_ids', 'new_item_ids', 'payment_method_id'],
  modify_pending_order_payment: ['order_id', 'payment_method_id'],
  modify_user_address: ['user_id', 'address1', 'address2', 'city', 'state', 'country', 'zip'],
  return_delivered_order_items: ['order_id', 'item_ids', 'payment_method_id'],
  think: ['thought'],
  transfer_to_human_agents: ['summary'],
};

const text = { type: 'string' };
const typeOf = (argument: string) => (argument.endsWith('_ids') ? { type: 'array', items: text } : text);

const tools = Object.entries(TOOLS).map(([name, required]) => ({
  name,
  description: `Does ${name}`,
  parameters: { type: 'object', properties: Object.fromEntries(required.map((each) => [each, typeOf(each)])), required },
}));

/** Writes the shop, its tools and its tasks into a folder, in the form in which the agents read them. */
export function writeSmallShop(folder: string): void {
  const write = (name: string, value: unknown) => writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
  for (const [table, rows] of Object.entries(TABLES)) write(table, rows);
  for (const set of ['test', 'train'] as const) {
    const tasks = TASKS[set].map((calls, task) => ({ task, instruction: 'Help.', calls, changed: CHANGED[set][task] }));
    write(`tasks-${set}`, tasks);
  }
  write('tools', tools);
}
