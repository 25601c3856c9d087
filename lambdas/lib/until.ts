/** How often a long poll looks again, ms. */
const POLL_MS = 150;

/** Looks until what it sees is enough, or for `seconds`, and returns what it saw last. Looks at least once. */
export async function until<T>(seconds: number, look: () => Promise<T>, enough: (seen: T) => boolean): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const seen = await look();
    if (enough(seen) || Date.now() + POLL_MS > end) return seen;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
