import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { PAGE_HEADERS } from '../../console/headers.ts';

/** A small site of fixed pages, and a browser that looks at it. */

export interface SitePage {
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Post {
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Site extends AsyncDisposable {
  readonly origin: string;
  readonly pages: Map<string, SitePage>;
  readonly posts: Post[];
  /** Paths asked for that are no page of the site. */
  readonly strays: string[];
  /** Opens a page in a fresh context; what the browser complains of is added to `complaints`. */
  readonly open: (path: string, options?: BrowserContextOptions) => Promise<Page>;
  readonly complaints: string[];
}

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
  '--disable-sync',
  '--disable-component-update',
  '--disable-quic',
];

/** Starts the site and the browser. A form that is posted leads to the page `/sent`. */
export async function startSite(given: Readonly<Record<string, SitePage>>): Promise<Site> {
  const pages = new Map(Object.entries(given));
  const posts: Post[] = [];
  const strays: string[] = [];
  const complaints: string[] = [];
  const server = createServer(async (request, response) => {
    const path = (request.url as string).split('?')[0] as string;
    if (request.method === 'POST') {
      posts.push({ path, body: (await request.toArray()).join(''), headers: request.headers });
      response.writeHead(303, { ...PAGE_HEADERS, location: '/sent' }).end();
      return;
    }
    const page = pages.get(path);
    if (!page) strays.push(path);
    response.writeHead(page ? 200 : 404, { ...(page?.headers ?? PAGE_HEADERS) }).end(page?.html);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await launch();
  const open = async (path: string, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ javaScriptEnabled: false, ...options });
    context.on('console', (message) => complaints.push(message.text()));
    const page = await context.newPage();
    await page.goto(`${origin}${path}`);
    return page;
  };
  const stop = async () => {
    await browser.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { origin, pages, posts, strays, complaints, open, [Symbol.asyncDispose]: stop };
}

/** Starts a browser. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGUMENTS, timeout: 60_000 });
