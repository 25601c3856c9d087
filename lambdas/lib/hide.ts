import type { Json } from '../../shared/json.ts';
import type { Call } from '../../shared/record.ts';
import { placesOf, type Secrets, taken, textsOf, valueAt, without } from '../../shared/secrets.ts';

/** What nobody but the tool may see of a call. */
export interface Hidden {
  readonly call: Pick<Call, 'secrets' | 'secretOutput'>;
  readonly secrets?: Secrets;
  /** Whoever has this address can give the call's result. */
  readonly callbackUrl?: string;
}

/** The texts that must not show in what is said of a call. */
export function hiddenTexts({ secrets = {}, callbackUrl }: Hidden): string[] {
  const token = callbackUrl === undefined ? null : new URL(callbackUrl).searchParams.get('t');
  return textsOf([...Object.values(secrets), token]);
}

/** Masks a call's secrets in what is said of it: a tool may give back what it was given. */
export const hideIn = <T extends Json | undefined>(said: T, hidden: Hidden): T =>
  said === undefined ? said : (without(said, hiddenTexts(hidden)) as T);

/** Masks in an output what its tool marks, and the call's secrets. */
export function hideOutput(output: Json, hidden: Hidden): Json {
  const places = placesOf(hidden.call.secretOutput ?? [], output);
  const values = places.map((place) => valueAt(output, place) as Json);
  return without(taken(output, places).masked, [...textsOf(values), ...hiddenTexts(hidden)]);
}
