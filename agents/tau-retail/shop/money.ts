import { refuse } from './refusal.ts';
import type { PaymentMethod, Transaction, User } from './rows.ts';
import type { Shop } from './shop.ts';

/** Rounds to cents, as balances are kept. */
export const cents = (amount: number): number => Number(amount.toFixed(2));

/** A user's payment method. Refuses one that is not the user's. */
export const methodOf = (user: User, id: string): PaymentMethod =>
  user.payment_methods[id] ?? refuse('the user has no such payment method');

/** Refuses when a gift card cannot pay an amount; other methods can pay any. */
export function mustAfford(method: PaymentMethod, amount: number, what: string): void {
  if (method.balance !== undefined && method.balance < amount) refuse(`insufficient gift card balance to pay for the ${what}`);
}

/** The payment of an amount, or the refund of a negative one. */
export const transaction = (amount: number, payment_method_id: string): Transaction => ({
  transaction_type: amount > 0 ? 'payment' : 'refund',
  amount: Math.abs(amount),
  payment_method_id,
});

/** Takes an amount from a user's gift card, or gives a negative one back; other methods keep no balance. */
export function charge(shop: Shop, userId: string, methodId: string, amount: number): void {
  const user = shop.users.get(userId);
  const method = user?.payment_methods[methodId];
  if (!user || method?.balance === undefined) return;
  const charged = { ...method, balance: cents(method.balance - amount) };
  shop.users.set(userId, { ...user, payment_methods: { ...user.payment_methods, [methodId]: charged } });
}
