export const handler = async (event: { body?: string; isBase64Encoded: boolean }) => ({
  statusCode: 201,
  headers: { 'Content-Type': 'application/octet-stream' },
  cookies: ['a=1', 'b=2'],
  body: event.isBase64Encoded ? event.body : Buffer.from(event.body ?? '').toString('base64'),
  isBase64Encoded: true,
});
