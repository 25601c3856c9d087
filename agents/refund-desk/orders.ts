/** An order as the shop knows it. */
export interface Order {
  readonly orderId: string;
  readonly customer: string;
  readonly email: string;
  readonly item: string;
  readonly amountCents: number;
  readonly currency: 'EUR';
  readonly deliveredAt: string;
}

const ada = { customer: 'Ada Martin', email: 'ada@example.com', currency: 'EUR' } as const;
const noor = { customer: 'Noor Haddad', email: 'noor@example.com', currency: 'EUR' } as const;

/** The orders of the sample shop. */
export const ORDERS: readonly Order[] = [
  { orderId: 'A-1001', ...ada, item: 'Desk lamp', amountCents: 3_990, deliveredAt: '2026-11-02' },
  { orderId: 'A-1002', ...ada, item: 'Standing desk', amountCents: 24_900, deliveredAt: '2026-11-02' },
  { orderId: 'A-1003', ...ada, item: 'Cable tray', amountCents: 1_250, deliveredAt: '2026-11-05' },
  { orderId: 'B-2001', ...noor, item: 'Office chair', amountCents: 18_500, deliveredAt: '2026-10-28' },
  { orderId: 'B-2002', ...noor, item: 'Footrest', amountCents: 2_900, deliveredAt: '2026-11-09' },
];

/** The order of that id, in any case of letters. */
export const orderOf = (orderId: string): Order | undefined => ORDERS.find((order) => order.orderId === orderId.toUpperCase());

/** An amount as customers read it. */
export const money = (cents: number, currency: string): string => `${(cents / 100).toFixed(2)} ${currency}`;
