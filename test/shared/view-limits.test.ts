import { describe, expect, test } from 'vitest';
import { policy } from '../../shared/policy.ts';
import { MOST_AT_TOKENS, viewLimits } from '../../shared/view-limits.ts';

describe('viewLimits()', () => {
  test('viewLimits() follow from the window of the model, up to what every turn may cost', () => {
    expect(viewLimits({}, 'anthropic/claude-haiku-4-5')).toMatchObject({ atTokens: 140_000, keepTokens: 28_000, summaryTokens: 4_000 });
    expect(viewLimits({}, 'anthropic/claude-opus-5').atTokens).toBe(MOST_AT_TOKENS);
    expect(viewLimits({}, 'scripted/x').atTokens).toBe(89_600);
  });

  test('viewLimits() keep to the policy', () => {
    expect(viewLimits({ compaction: { atTokens: 4_000, keepTokens: 1_000 } }, 'scripted/x')).toEqual({
      atTokens: 4_000,
      keepTokens: 1_000,
      summaryTokens: 500,
      messageCharacters: 2_000,
      replyCharacters: 4_000,
      factsCharacters: 2_000,
    });
    expect(viewLimits({ compaction: { keepTokens: 100_000 } }, 'scripted/x')).toMatchObject({ atTokens: 400_000, keepTokens: 100_000 });
  });
});

test.each([{ atTokens: 999 }, { atTokens: 4_000, keepTokens: 1_001 }, { keepTokens: 0 }, { at: 4_000 }])(
  'policy takes no %o',
  (compaction) => expect(policy.safeParse({ compaction }).success).toBe(false),
);
