import { isDeepStrictEqual } from 'node:util';
import { readTable } from '../data.ts';
import type { Order, Product, User } from './rows.ts';

/** A table whose rows can be replaced while the rows it began with stay as they were. */
export interface Table<Row> {
  get(id: string): Row | undefined;
  all(): Row[];
  ids(): string[];
  set(id: string, row: Row): void;
  /** The rows that differ from those at the start, by id. */
  changed(): Record<string, Row>;
}

/** A shop: what its tools read and change. */
export interface Shop {
  readonly users: Table<User>;
  readonly products: Table<Product>;
  readonly orders: Table<Order>;
}

/** The rows that every new shop begins with. */
export interface Stock {
  readonly users: ReadonlyMap<string, User>;
  readonly products: ReadonlyMap<string, Product>;
  readonly orders: ReadonlyMap<string, Order>;
}

/** Reads the rows of a data folder. */
export function readStock(folder: string): Stock {
  const rows = <Row>(table: string) => new Map(Object.entries(readTable<Row>(folder, table)));
  return { users: rows('users'), products: rows('products'), orders: rows('orders') };
}

/** Opens a shop of its own over the stock, which it leaves alone. */
export const openShop = ({ users, products, orders }: Stock): Shop => ({
  users: tableOver(users),
  products: tableOver(products),
  orders: tableOver(orders),
});

/** What differs in a shop from its stock: table, id, row. Tables without a difference are left out. */
export function changedRows({ users, products, orders }: Shop): Record<string, Record<string, unknown>> {
  const changes = { users: users.changed(), products: products.changed(), orders: orders.changed() };
  return Object.fromEntries(Object.entries(changes).filter(([, rows]) => Object.keys(rows).length > 0));
}

function tableOver<Row>(start: ReadonlyMap<string, Row>): Table<Row> {
  const own = new Map<string, Row>();
  const get = (id: string) => own.get(id) ?? start.get(id);
  return {
    get,
    ids: () => [...start.keys()],
    all: () => [...start.keys()].map((id) => get(id) as Row),
    set: (id, row) => void own.set(id, row),
    changed: () => Object.fromEntries([...own].filter(([id, row]) => !isDeepStrictEqual(row, start.get(id)))),
  };
}
