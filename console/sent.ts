import { fieldsOf, unix } from './fields.ts';

/** What a person sent with a form that was not taken, to be shown in it again. */
export interface Sent {
  /** The text of a field that was sent once. */
  readonly text: (name: string) => string | undefined;
}

/** Reads what was sent. Nothing is there when nothing was sent. */
export function sentOf(body = ''): Sent {
  const form = fieldsOf(body);
  const text = (name: string) => {
    const [first, ...more] = form.getAll(name);
    return first !== undefined && more.length === 0 ? unix(first) : undefined;
  };
  return { text };
}
