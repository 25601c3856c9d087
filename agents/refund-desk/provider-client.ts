import { NoEffectError } from '../../shared/errors.ts';
import type { ToolContext } from '../../shared/tool.ts';
import type { Booking, Mode } from './ledger.ts';

/** Where the payment provider listens; the tools read it anew at each call. */
export const PROVIDER_VARIABLE = 'PAYMENT_PROVIDER_URL';

type Details = Readonly<Record<string, string | number>>;

/** Books at the provider. Throws a NoEffectError when certainly nothing was booked, and any other error when that is open. */
export async function book(mode: Mode, things: 'refunds' | 'mails', details: Details, { key, signal }: ToolContext): Promise<Booking> {
  const response = await reach(`/${mode}/${things}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(details),
    signal,
  });
  if (response.status >= 400 && response.status < 500)
    throw new NoEffectError(`The provider refused (${response.status}): ${await response.text()}`);
  if (!response.ok) throw new Error(`The provider failed with ${response.status}; whether it booked is open`);
  return (await response.json()) as Booking;
}

/** Asks the provider whether it booked under a key. */
export async function findBooking(things: 'refunds' | 'mails', key: string, { signal }: ToolContext): Promise<Booking | undefined> {
  const response = await reach(`/askable/${things}?key=${encodeURIComponent(key)}`, { signal });
  if (!response.ok) throw new Error(`The provider cannot be asked: ${response.status}`);
  const told = (await response.json()) as { found: boolean; booking?: Booking };
  return told.found ? told.booking : undefined;
}

/** Reads the provider's rates. */
export async function readRates({ signal }: ToolContext): Promise<Record<string, number>> {
  return (await (await reach('/rates', { signal })).json()) as Record<string, number>;
}

/** A request that never reached the provider did nothing: that is worth telling apart. */
async function reach(path: string, init: RequestInit): Promise<Response> {
  const base = process.env[PROVIDER_VARIABLE];
  if (!base)
    throw new NoEffectError(`Cannot reach the payment provider: ${PROVIDER_VARIABLE} is not set; "npm start" starts one and sets it`);
  try {
    return await fetch(`${base}${path}`, init);
  } catch (error) {
    const code = ((error as Error).cause as { code?: string } | undefined)?.code;
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') throw new NoEffectError(`Cannot reach the payment provider at ${base}: ${code}`);
    throw new Error(`The connection to the payment provider broke; whether it booked is open`, { cause: error });
  }
}
