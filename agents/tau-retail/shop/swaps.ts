import { refuse } from './refusal.ts';
import type { Order, OrderLine, Variant } from './rows.ts';
import type { Shop } from './shop.ts';

/** An item of an order, and the variant of its product that takes its place. */
export interface Swap {
  readonly from: OrderLine;
  readonly to: Variant;
}

/** Refuses when an order has not each of these items, as often as it is named. */
export function mustHold({ items }: Order, itemIds: readonly string[]): void {
  const held = items.map(({ item_id }) => item_id);
  for (const id of itemIds) {
    const place = held.indexOf(id);
    if (place < 0) refuse(`the order has no item ${id}, or not that often`);
    held.splice(place, 1);
  }
}

/** Pairs items with what they are to become. Refuses what the order has not, and what the shop cannot give. */
export function swapsOf({ products }: Shop, order: Order, itemIds: readonly string[], newIds: readonly string[]): Swap[] {
  mustHold(order, itemIds);
  if (itemIds.length !== newIds.length) refuse('each item needs one new item');
  return itemIds.map((id, i) => {
    const from = order.items.find(({ item_id }) => item_id === id) as OrderLine;
    const to = products.get(from.product_id)?.variants[newIds[i] as string];
    return to?.available ? { from, to } : refuse(`item ${newIds[i]} is not available`);
  });
}

/** What the new items cost more than the old ones; not rounded. */
export const difference = (swaps: readonly Swap[]): number => swaps.reduce((sum, { from, to }) => sum + (to.price - from.price), 0);

/** The lines of an order once the swaps are made. */
export function withSwaps({ items }: Order, swaps: readonly Swap[]): OrderLine[] {
  const lines = [...items];
  for (const { from, to } of swaps) {
    const place = lines.findIndex(({ item_id }) => item_id === from.item_id);
    lines[place] = { ...from, item_id: to.item_id, price: to.price, options: to.options };
  }
  return lines;
}
