import { expect, it } from 'vitest';
import { bytesWritten } from '../../bench/item-bytes.ts';

it('bytesWritten() counts names and values of an item by the rules of DynamoDB', () => {
  const body = Buffer.alloc(100).toString('base64');
  expect(bytesWritten({ Item: { pk: { S: 'é' }, at: { N: '1234' }, body: { B: body } } })).toBe(2 + 2 + (2 + 3) + (4 + 100));
  expect(bytesWritten({ Item: { m: { M: { a: { S: 'xy' } } }, l: { L: [{ N: '1' }] } } })).toBe(1 + (3 + 1 + 1 + 2) + 1 + (3 + 1 + 2));
});

it('bytesWritten() counts of an update what it sets, and not what it compares', () => {
  const update = {
    UpdateExpression: 'SET #step = :step ADD #epoch :one',
    ConditionExpression: '#segment = :segment',
    ExpressionAttributeNames: { '#step': 'step', '#epoch': 'epoch', '#segment': 'segment' },
    ExpressionAttributeValues: { ':step': { S: 'model:7' }, ':one': { N: '1' }, ':segment': { N: '1' } },
  };
  expect(bytesWritten(update)).toBe(4 + 7 + 5 + 2);
});

it('bytesWritten() counts nothing for a read', () => {
  expect(bytesWritten({})).toBe(0);
});
