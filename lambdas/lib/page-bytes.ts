/** The most that one answer may hold, bytes of JSON: Lambda's limit of 6 MB less room for one more record. */
export const PAGE_BYTES = 4_000_000;
