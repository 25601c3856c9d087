import { PAGE_HEADERS } from '../../console/headers.ts';
import { aboutOf, type HttpEvent, type HttpResponse, httpEvent } from './http.ts';
import { during, logError } from './invocation.ts';

/** A page, or the way to one. */
export type Page = { readonly status: number; readonly html: string } | { readonly location: string };

/** The largest form, bytes: comments and results are short. */
export const MAX_FORM_BYTES = 100_000;

/** Makes the Lambda handler of some pages. A HEAD is answered like its GET, without the body. */
export const pageHandler =
  (routes: Record<string, (event: HttpEvent) => Promise<Page>>, broken: () => string) =>
  async (input: unknown): Promise<HttpResponse> => {
    const event = httpEvent.parse(input);
    const page = await during(aboutOf(event), () =>
      (routes[event.routeKey.replace(/^HEAD /, 'GET ')]?.(event) ?? Promise.reject(new Error(`no route ${event.routeKey}`))).catch(
        (error: unknown): Page => {
          logError(error);
          return { status: 500, html: broken() };
        },
      ),
    );
    if ('location' in page) return { statusCode: 303, headers: { ...PAGE_HEADERS, location: page.location }, body: '' };
    const body = event.routeKey.startsWith('HEAD ') ? '' : page.html;
    return { statusCode: page.status, headers: { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' }, body };
  };

/** The text of a form that was sent, or undefined when it is too large. */
export function formOf({ body = '', isBase64Encoded }: HttpEvent): string | undefined {
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  return Buffer.byteLength(text) > MAX_FORM_BYTES ? undefined : text;
}
