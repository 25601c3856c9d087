import { expect, it } from 'vitest';
import { signatureOf } from './signature.ts';

it('signatureOf() computes the signature of the example in the documentation of AWS', () => {
  const scope = 'AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request';
  const request = {
    method: 'GET',
    target: '/?Action=ListUsers&Version=2010-05-08',
    headers: {
      host: 'iam.amazonaws.com',
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=content-type;host;x-amz-date, Signature=?`,
    },
    body: '',
  };
  expect(signatureOf(request, 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY')).toBe(
    '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  );
});
