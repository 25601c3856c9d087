import { cents, charge, methodOf, mustAfford, transaction } from './money.ts';
import type { Input, ShopFunction } from './readers.ts';
import { found, refuse } from './refusal.ts';
import type { Address, Order, User } from './rows.ts';
import type { Shop } from './shop.ts';
import { difference, mustHold, type Swap, swapsOf, withSwaps } from './swaps.ts';

/** The tools that change the shop. Each checks everything before its first change. */
export const WRITERS: Readonly<Record<string, ShopFunction>> = {
  cancel_pending_order: cancel,
  exchange_delivered_order_items: exchange,
  return_delivered_order_items: takeBack,
  modify_pending_order_items: modifyItems,
  modify_pending_order_payment: modifyPayment,
  modify_pending_order_address: modifyAddress,
  modify_user_address: moveUser,
};

function cancel(shop: Shop, { order_id, reason }: Input): Order {
  const order = orderIn(shop, order_id, 'pending', 'non-pending order cannot be cancelled');
  const refunds = order.payment_history.map(({ amount, payment_method_id }) => transaction(-amount, payment_method_id));
  for (const { amount, payment_method_id } of refunds) charge(shop, order.user_id, payment_method_id, -amount);
  return save(shop, { ...order, status: 'cancelled', payment_history: [...order.payment_history, ...refunds] }, { cancel_reason: reason });
}

function exchange(shop: Shop, input: Input): Order {
  const order = orderIn(shop, input.order_id, 'delivered', 'non-delivered order cannot be exchanged');
  const swaps = swapsOf(shop, order, input.item_ids, input.new_item_ids);
  const exchange_price_difference = cents(difference(swaps));
  mustAfford(methodOf(ownerOf(shop, order), input.payment_method_id), exchange_price_difference, 'price difference');
  return save(
    shop,
    { ...order, status: 'exchange requested' },
    {
      exchange_items: input.item_ids.toSorted(),
      exchange_new_items: input.new_item_ids.toSorted(),
      exchange_payment_method_id: input.payment_method_id,
      exchange_price_difference,
    },
  );
}

function takeBack(shop: Shop, { order_id, item_ids, payment_method_id }: Input): Order {
  const order = orderIn(shop, order_id, 'delivered', 'non-delivered order cannot be returned');
  const method = methodOf(ownerOf(shop, order), payment_method_id);
  const isOriginal = order.payment_history[0]?.payment_method_id === payment_method_id;
  if (!isOriginal && method.balance === undefined) refuse('payment method should be either the original payment method or a gift card');
  mustHold(order, item_ids);
  const returned = { return_items: item_ids.toSorted(), return_payment_method_id: payment_method_id };
  return save(shop, { ...order, status: 'return requested' }, returned);
}

function modifyItems(shop: Shop, { order_id, item_ids, new_item_ids, payment_method_id }: Input): Order {
  const order = orderIn(shop, order_id, 'pending', 'non-pending order cannot be modified');
  const swaps: Swap[] = swapsOf(shop, order, item_ids, new_item_ids);
  const due = difference(swaps);
  mustAfford(methodOf(ownerOf(shop, order), payment_method_id), due, 'new item');
  charge(shop, order.user_id, payment_method_id, due);
  const payment_history = [...order.payment_history, transaction(due, payment_method_id)];
  return save(shop, { ...order, items: withSwaps(order, swaps), payment_history, status: 'pending (item modified)' });
}

function modifyPayment(shop: Shop, { order_id, payment_method_id }: Input): Order {
  const order = orderIn(shop, order_id, 'pending', 'non-pending order cannot be modified');
  const method = methodOf(ownerOf(shop, order), payment_method_id);
  const [paid] = order.payment_history;
  if (!paid || order.payment_history.length > 1) return refuse('only an order with one payment can be paid in another way');
  if (paid.payment_method_id === payment_method_id) refuse('the order is paid with this payment method already');
  mustAfford(method, paid.amount, 'order');
  charge(shop, order.user_id, payment_method_id, paid.amount);
  charge(shop, order.user_id, paid.payment_method_id, -paid.amount);
  const moved = [transaction(paid.amount, payment_method_id), transaction(-paid.amount, paid.payment_method_id)];
  return save(shop, { ...order, payment_history: [paid, ...moved] });
}

function modifyAddress(shop: Shop, input: Input): Order {
  const order = orderIn(shop, input.order_id, 'pending', 'non-pending order cannot be modified');
  return save(shop, { ...order, address: addressIn(input) });
}

function moveUser(shop: Shop, input: Input): User {
  const user = { ...found(shop.users.get(input.user_id), 'user'), address: addressIn(input) };
  shop.users.set(input.user_id, user);
  return user;
}

const addressIn = ({ address1, address2, city, state, country, zip }: Input): Address => ({
  address1,
  address2,
  city,
  state,
  country,
  zip,
});

function orderIn(shop: Shop, id: string, status: string, otherwise: string): Order {
  const order = found(shop.orders.get(id), 'order');
  return order.status === status ? order : refuse(otherwise);
}

const ownerOf = (shop: Shop, { user_id }: Order): User => found(shop.users.get(user_id), 'user');

function save(shop: Shop, order: Order, more: Record<string, unknown> = {}): Order {
  const saved = { ...order, ...more };
  shop.orders.set(order.order_id, saved);
  return saved;
}
