import * as z from 'zod';
import { ProblemError } from '../../shared/errors.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { ABSENT, get, type Key, putIf, updateIf } from './dynamo.ts';
import { sha256 } from './hash.ts';
import type { HttpEvent } from './http.ts';
import { readItem } from './item.ts';

const claim = z.object({ v: z.literal(SCHEMA_VERSION), id: z.string(), request: z.string() });

/**
 * A client's key stands for one request, for good: returns the id that was claimed first, which is `id` itself when
 * nobody has used the key. Throws a 422 problem when it was used for another request.
 */
export async function claimId(at: Key, id: string, request: string): Promise<string> {
  const mine = { v: SCHEMA_VERSION, id, request: sha256(request) };
  if (await putIf({ ...at, ...mine }, ABSENT)) return id;
  const first = await readItem(claim, (await get(at)) ?? {});
  if (first.request === ERASED)
    throw new ProblemError(
      410,
      'Run was erased',
      `This Idempotency-Key started run "${first.id}", which was erased; use a new key`,
      KEY_HEADER,
    );
  if (first.request === mine.request) return first.id;
  throw new ProblemError(
    422,
    'Key already used',
    `This Idempotency-Key stands for another request, which made "${first.id}"; use a new key`,
    KEY_HEADER,
  );
}

/** Stands in a claim for a request that was erased. */
const ERASED = 'erased';

/** Takes the request out of a claim: its key stays used. Tells whether there was one. */
export async function eraseClaim(at: Key): Promise<boolean> {
  const item = await updateIf(at, 'SET #request = :erased', {
    expression: 'attribute_exists(pk) AND #request <> :erased',
    names: { '#request': 'request' },
    values: { ':erased': ERASED },
  });
  return item !== undefined;
}

const KEY_HEADER = 'Idempotency-Key';
const MAX_KEY_LENGTH = 255;

/** Returns the client's key of a request, if it has one. Throws a 400 problem for one that is blank or too long. */
export function keyOf({ headers }: HttpEvent): string | undefined {
  const key = headers[KEY_HEADER.toLowerCase()]?.trim();
  if (key === undefined || (key !== '' && key.length <= MAX_KEY_LENGTH)) return key;
  throw new ProblemError(400, 'Invalid header', `${KEY_HEADER} must have 1 to ${MAX_KEY_LENGTH} characters`, KEY_HEADER);
}
