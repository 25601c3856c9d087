import * as z from 'zod';
import { MAX_BODY_BYTES, type Problem } from '../../shared/api.ts';
import { ErasedError, ProblemError, UnreadableItemError } from '../../shared/errors.ts';
import { exactText, longNumberIn } from '../../shared/exact-json.ts';
import type { Json } from '../../shared/json.ts';
import { isRunId, parseAskId } from '../../shared/tables.ts';
import { type About, during, logError } from './invocation.ts';

/** The part of API Gateway's payload format 2.0 that the handlers read. */
export const httpEvent = z.object({
  routeKey: z.string(),
  pathParameters: z.record(z.string(), z.string().optional()).optional(),
  queryStringParameters: z.record(z.string(), z.string().optional()).optional(),
  headers: z.record(z.string(), z.string().optional()).default({}),
  body: z.string().optional(),
  isBase64Encoded: z.boolean().default(false),
});
export type HttpEvent = z.infer<typeof httpEvent>;

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

/** What a route answers: JSON, or bytes with headers of their own. */
export type Answer = { readonly status: number; readonly body: unknown } | BytesAnswer;
export interface BytesAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
}

/** Makes the Lambda handler of some routes: what they return is the body; a ProblemError becomes a problem body. */
export const httpHandler =
  (routes: Record<string, (event: HttpEvent) => Promise<Answer>>) =>
  (input: unknown): Promise<HttpResponse> => {
    const event = httpEvent.safeParse(input);
    return during(event.success ? aboutOf(event.data) : {}, async () => {
      try {
        if (!event.success) throw event.error;
        const route = routes[event.data.routeKey];
        if (!route) throw new ProblemError(404, 'No such route', `There is no route "${event.data.routeKey}"`);
        const answer = await route(event.data);
        if ('bytes' in answer) return bytesOf(answer);
        return respond(answer.status, 'application/json', answer.body);
      } catch (error) {
        return problemOf(error);
      }
    });
  };

/** What a request is about: the run that its path names, by itself or by an ask. */
export function aboutOf({ routeKey, pathParameters }: HttpEvent): About {
  const id = pathParameters?.id ?? '';
  return { step: routeKey, runId: isRunId(id) ? id : parseAskId(id)?.runId };
}

const respond = (statusCode: number, type: string, body: unknown): HttpResponse => ({
  statusCode,
  headers: { 'content-type': type, 'cache-control': 'no-store' },
  body: exactText(body as object),
});

const bytesOf = ({ status, headers, bytes }: BytesAnswer): HttpResponse => ({
  statusCode: status,
  headers,
  body: bytes.toString('base64'),
  isBase64Encoded: true,
});

function problemOf(error: unknown): HttpResponse {
  if (!(error instanceof ProblemError || error instanceof ErasedError)) logError(error);
  const { status, title, message, field } = shownFor(error);
  const body: Problem = {
    type: 'about:blank',
    title,
    status,
    detail: message.slice(0, MAX_DETAIL).toWellFormed(),
    ...(field === undefined ? {} : { field: field.slice(0, MAX_FIELD).toWellFormed() }),
  };
  return respond(status, 'application/problem+json', body);
}

/** A request can be wrong at great length; what is said about it is not, characters. */
const MAX_DETAIL = 1_000;
const MAX_FIELD = 200;

function shownFor(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof ErasedError) return new ProblemError(410, 'Run was erased', error.message);
  if (error instanceof UnreadableItemError) return new ProblemError(500, 'Unreadable item', error.message);
  return new ProblemError(500, 'Internal error', 'The service failed; its log says why. Try again: nothing is half done');
}

/** Reads the JSON body of a request by its schema. Throws a ProblemError that names the field. */
export function readBody<S extends z.ZodType>(event: HttpEvent, schema: S, empty?: Json): z.infer<S> {
  const text = event.isBase64Encoded ? decoded(event.body ?? '') : (event.body ?? '');
  if (Buffer.byteLength(text) > MAX_BODY_BYTES)
    throw new ProblemError(413, 'Body too large', `The body may have at most ${MAX_BODY_BYTES} bytes`);
  if (text.trim() === '' && empty !== undefined) return schema.parse(empty);
  return check(schema, parsed(text), 'body');
}

function decoded(base64: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw new ProblemError(400, 'Malformed body', 'The body is not UTF-8 text');
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    assertExact(text);
    return value;
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError(400, 'Malformed JSON', `The body is not JSON: ${(error as Error).message}`);
  }
}

/** A number that loses digits would be another one from here on, without a word. */
function assertExact(text: string): void {
  const long = longNumberIn(text);
  if (!long) return;
  const { path, digits } = long;
  const detail = `${path}: the number ${digits.slice(0, 100)} has more digits than a number keeps; send it as a text`;
  throw new ProblemError(400, 'Invalid body', detail, path.slice(0, MAX_FIELD));
}

/** Reads the query of a request by its schema. */
export const readQuery = <S extends z.ZodType>(event: HttpEvent, schema: S): z.infer<S> =>
  check(schema, event.queryStringParameters ?? {}, 'query');

function check<S extends z.ZodType>(schema: S, value: unknown, where: string): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]] : issue?.path;
  const field = path?.join('.') || where;
  throw new ProblemError(400, `Invalid ${where}`, `${field}: ${issue?.message}`, field);
}
