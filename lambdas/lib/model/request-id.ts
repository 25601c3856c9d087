/** The provider's own id of a request, from the headers of its answer, for questions to its support. */
export const requestId = (headers: Readonly<Record<string, string | undefined>> | undefined): string | undefined =>
  headers?.['request-id'] || headers?.['x-request-id'] || headers?.['x-amzn-requestid'] || undefined;
