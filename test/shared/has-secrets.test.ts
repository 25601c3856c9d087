import { describe, expect, it } from 'vitest';
import { hasSecrets } from '../../shared/has-secrets.ts';
import type { RunRecord } from '../../shared/record.ts';

const reply = (secrets?: string[]) => ({ type: 'reply', calls: [{ index: 0, ...(secrets ? { secrets } : {}) }] }) as unknown as RunRecord;
const answer = (secrets?: string[]) =>
  ({
    type: 'answer',
    answers: [{ index: 0, decision: 'approve', edit: { input: {}, ...(secrets ? { secrets } : {}) } }],
  }) as unknown as RunRecord;

describe('hasSecrets()', () => {
  it('tells that a call was made with a secret, or given one by a person', () => {
    expect(hasSecrets([reply()])).toBe(false);
    expect(hasSecrets([reply(), answer()])).toBe(false);
    expect(hasSecrets([reply(['/key'])])).toBe(true);
    expect(hasSecrets([reply(), answer(['/key'])])).toBe(true);
  });
});
