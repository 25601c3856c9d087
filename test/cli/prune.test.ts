import { describe, expect, it } from 'vitest';
import { functionsIn, functionsToPrune, type Keeping, splitVersion, versionsToPrune } from '../../cli/prune.ts';

/** Version n was published on day 10 n. */
const version = (n: number) => ({ version: n, arn: `arn:m:${n}`, publishedAt: n * 10, functions: [] });
const keeping = (given: Partial<Keeping> = {}): Keeping => ({ current: 5, needed: new Set(), newest: 1, since: 1_000, ...given });

describe('versionsToPrune()', () => {
  it.each<[what: string, given: Partial<Keeping>, goes: number[]]>([
    ['all but the newest', {}, [1, 2, 3, 4]],
    ['none that an unfinished run is on', { needed: new Set([2, 4, undefined]) }, [1, 3]],
    ['none of the newest', { newest: 3 }, [1, 2]],
    ['none when there are no more', { newest: 5 }, []],
    ['not the one that new runs start on, though newer ones are there', { current: 2 }, [1, 3, 4]],
    ['none that took new runs since, the next one having been published then', { since: 30 }, [1]],
    ['none that was followed by another just at that time', { since: 20 }, []],
    ['what all reasons leave', { newest: 2, since: 45, needed: new Set([1]) }, [2, 3]],
  ])('lets go %s', (_what, given, goes) => {
    const versions = [3, 1, 5, 2, 4].map(version);
    expect(versionsToPrune(versions, keeping(given)).map((one) => one.version)).toEqual(goes);
  });

  it('keeps the only version however old it is, and one whose successor has no known time', () => {
    expect(versionsToPrune([version(1)], keeping({ current: 1 }))).toEqual([]);
    expect(versionsToPrune([version(1), { ...version(2), publishedAt: Number.NaN }], keeping({ current: 2 }))).toEqual([]);
  });
});

describe('functionsToPrune()', () => {
  it('lets go what nothing kept invokes', () => {
    expect(functionsToPrune(['f:1', 'f:2', 'g:1'], ['f:2', 'h:9'])).toEqual(['f:1', 'g:1']);
  });
});

describe('functionsIn()', () => {
  const arn = 'arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:holdfast-prod-ask';

  it('finds every function version of a definition once, and no function without a version', () => {
    const names = [`${arn}:12`, `${arn}-page:3`, `${arn}:12`, arn, `${arn}:$LATEST`];
    const definition = JSON.stringify({
      States: names.map((FunctionName) => ({ Resource: 'arn:aws:states:::lambda:invoke', FunctionName })),
    });
    expect(functionsIn(definition)).toEqual([`${arn}-page:3`, `${arn}:12`]);
  });
});

describe('splitVersion()', () => {
  it('takes an ARN apart, and refuses one without a version: it would name the whole', () => {
    expect(splitVersion('arn:aws:lambda:r:1:function:f:12')).toEqual({ whole: 'arn:aws:lambda:r:1:function:f', version: 12 });
    for (const arn of ['arn:aws:lambda:r:1:function:f', 'arn:aws:lambda:r:1:function:f:$LATEST', ''])
      expect(() => splitVersion(arn)).toThrow('it names no version');
  });
});
