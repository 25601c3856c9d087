type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Reads how long a provider asks to wait, in whole seconds rounded up, from `retry-after-ms` or `retry-after` (seconds or
 * an HTTP date, which is held against the answer's own date, else `now`, ms since the epoch). Unreadable, past and zero
 * times are undefined, so that the caller's growing waits apply instead of none.
 */
export function retryAfterSeconds(headers: Headers, now: number): number | undefined {
  const ms = number(headers['retry-after-ms']);
  return whole(ms === undefined ? undefined : ms / 1000) ?? whole(number(headers['retry-after']) ?? untilDate(headers, now));
}

function untilDate(headers: Headers, now: number): number | undefined {
  const until = date(headers['retry-after']);
  return until === undefined ? undefined : (until - (date(headers.date) ?? now)) / 1000;
}

/** Nine digits are thirty years: a longer number is not a time to wait. */
const number = (text = ''): number | undefined => (/^\d{1,9}(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined);

/** The one form of date that HTTP lets a server send; `Date.parse` alone would read much else. */
function date(text = ''): number | undefined {
  const ms = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

const whole = (seconds: number | undefined): number | undefined => (seconds !== undefined && seconds > 0 ? Math.ceil(seconds) : undefined);
