/** The rows of the shop's tables. A row is replaced, never changed in place. */

export interface Address {
  readonly address1: string;
  readonly address2: string;
  readonly city: string;
  readonly state: string;
  readonly country: string;
  readonly zip: string;
}

/** Only a gift card has a balance. */
export interface PaymentMethod {
  readonly id: string;
  readonly source: string;
  readonly balance?: number;
}

export interface User {
  readonly name: { readonly first_name: string; readonly last_name: string };
  readonly address: Address;
  readonly email: string;
  readonly payment_methods: Readonly<Record<string, PaymentMethod>>;
  readonly orders: readonly string[];
}

export interface Variant {
  readonly item_id: string;
  readonly options: Readonly<Record<string, string>>;
  readonly available: boolean;
  readonly price: number;
}

export interface Product {
  readonly name: string;
  readonly product_id: string;
  readonly variants: Readonly<Record<string, Variant>>;
}

export interface OrderLine {
  readonly name: string;
  readonly product_id: string;
  readonly item_id: string;
  readonly price: number;
  readonly options: Readonly<Record<string, string>>;
}

export interface Transaction {
  readonly transaction_type: 'payment' | 'refund';
  readonly amount: number;
  readonly payment_method_id: string;
}

export interface Order {
  readonly order_id: string;
  readonly user_id: string;
  readonly address: Address;
  readonly items: readonly OrderLine[];
  readonly status: string;
  readonly payment_history: readonly Transaction[];
}
