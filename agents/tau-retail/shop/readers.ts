import { calculate } from './arithmetic.ts';
import { found, refuse } from './refusal.ts';
import type { Shop } from './shop.ts';

/** The arguments of a tool, checked by the agent's schemas before they get here. */
// biome-ignore lint/suspicious/noExplicitAny: each tool has arguments of its own, described in the data.
export type Input = Record<string, any>;

/** What a tool of the shop does. Throws a Refusal, before it has changed anything, when it will not. */
export type ShopFunction = (shop: Shop, input: Input) => unknown;

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** The tools that change nothing. */
export const READERS: Readonly<Record<string, ShopFunction>> = {
  calculate: (_shop, { expression }) => String(calculate(expression)),
  think: () => '',
  transfer_to_human_agents: () => 'Transfer successful',
  get_user_details: ({ users }, { user_id }) => found(users.get(user_id), 'user'),
  get_order_details: ({ orders }, { order_id }) => found(orders.get(order_id), 'order'),
  get_product_details: ({ products }, { product_id }) => found(products.get(product_id), 'product'),
  list_all_product_types: ({ products }) => Object.fromEntries(products.all().map(({ name, product_id }) => [name, product_id] as const)),
  find_user_id_by_email: ({ users }, { email }) =>
    users.ids().find((id) => same(users.get(id)?.email ?? '', email)) ?? refuse('user not found'),
  find_user_id_by_name_zip: (shop, { first_name, last_name, zip }) =>
    shop.users.ids().find((id) => isCalled(shop, id, first_name, last_name, zip)) ?? refuse('user not found'),
};

function isCalled({ users }: Shop, id: string, first: string, last: string, zip: string): boolean {
  const user = users.get(id);
  return user !== undefined && same(user.name.first_name, first) && same(user.name.last_name, last) && user.address.zip === zip;
}
