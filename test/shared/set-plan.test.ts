import { expect, test } from 'vitest';
import { setPlan } from '../../shared/set-plan.ts';

test('setPlan() reads, and answers how far the plan is', async () => {
  const tool = setPlan();
  expect(tool).toMatchObject({ name: 'set_plan', effect: 'read' });
  const input = tool.input.parse({
    items: [
      { text: 'look', status: 'done' },
      { text: 'pay', status: 'open' },
    ],
  });
  expect(await tool.execute(input, {} as never)).toBe('The plan has 2 items, 1 of them done');
  for (const wrong of [{}, { items: [{ text: '', status: 'open' }] }, { items: [{ text: 'x', status: 'later' }] }])
    expect(tool.input.safeParse(wrong).success).toBe(false);
});
