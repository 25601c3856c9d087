import { GET_CREDENTIALS } from './aws.ts';

/** AWS's signatures hold for five minutes; a clock that is nearly so far off is worth a word, ms. */
const SKEW_MS = 4 * 60_000;

/** Returns what to do about a refusal for which no permission is at fault: the clock, or credentials that do not hold. */
export function faultOf(
  said: string,
  { date, expiration }: { date?: string | undefined; expiration?: Date | undefined },
): string | undefined {
  const skewMs = date ? Date.now() - Date.parse(date) : 0;
  if (Math.abs(skewMs) > SKEW_MS || CLOCK.test(said)) return clockAdvice(skewMs);
  if (EXPIRED.test(said) || (expiration && expiration.getTime() <= Date.now()))
    return `The AWS credentials have expired. ${GET_CREDENTIALS}`;
  return INVALID.test(said) ? `AWS does not know these credentials, or their secret key is another. ${GET_CREDENTIALS}` : undefined;
}

const CLOCK = /signature (expired|not yet current)|RequestTimeTooSkewed|RequestExpired/i;
const EXPIRED = /ExpiredToken|token[^.]* expired/i;
const INVALID = /InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|token[^.]* is invalid|signature we calculated/i;

function clockAdvice(skewMs: number): string {
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const state = minutes > 0 ? ` is ${minutes} min ${skewMs > 0 ? 'ahead of' : 'behind'} that of AWS` : ' is not that of AWS';
  return `The clock of this machine${state}: set it right, for a signature holds five minutes only.`;
}

/** The partition that a region belongs to, as resource names begin with it. */
export function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}
