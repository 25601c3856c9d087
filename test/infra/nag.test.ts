import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import type { GivenSettings } from '../../infra/settings.ts';
import { HoldfastStack } from '../../infra/stack.ts';
import { HANDLERS, withApp } from './synthesized.ts';

interface Finding {
  readonly ruleName: string;
  readonly violatingConstructs: readonly { readonly constructPath: string }[];
  readonly acknowledgedId?: string;
  readonly acknowledgedAt?: string;
}
interface Report {
  readonly pluginName: string;
  readonly violations: readonly Finding[];
  readonly suppressedViolations?: readonly Finding[];
}

/** What the packs of cdk-nag find, and what was accepted beforehand. */
function checked(settings: GivenSettings): { open: string[]; used: string[]; accepted: string[] } {
  return withApp((app) => {
    new HoldfastStack(app, 'Holdfast', { ...settings, handlers: HANDLERS });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
    const reports = reportsOf(app);
    expect(reports.map(({ pluginName }) => pluginName)).toEqual(['AwsSolutions', 'Serverless']);
    const open = reports.flatMap(({ violations }) =>
      violations.flatMap(({ ruleName, violatingConstructs }) =>
        violatingConstructs.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
      ),
    );
    const used = reports.flatMap(({ suppressedViolations = [] }) =>
      suppressedViolations.map(({ acknowledgedId, acknowledgedAt }) => `${acknowledgedId} at ${acknowledgedAt}`),
    );
    return { open, used: [...new Set(used)].toSorted(), accepted: acceptedIn(app).toSorted() };
  });
}

function reportsOf(app: App): Report[] {
  try {
    app.synth();
  } catch {
    // A finding ends the synthesis; the report says which.
  }
  return (JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8')) as { pluginReports: Report[] }).pluginReports;
}

const acceptedIn = (app: App): string[] =>
  app.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.keys(data as object).map((id) => `${id} at ${node.path}`)),
    );

describe('cdk-nag', () => {
  const mail = { from: 'desk@example.com', identity: 'domain' } as const;
  const jwt = { issuer: 'https://login.example.com', audience: 'desk' };
  const all = checked({ mail, jwt, alarmMail: 'ops@example.com', modelKeysSecret: 'desk/keys', bedrockModels: ['eu.anthropic.claude-x'] });

  it.each([
    ['with every setting', all],
    ['with none', checked({})],
    ['of a trial', checked({ removal: 'destroy' })],
  ])('finds nothing %s that is not accepted with its reason', (_, { open }) => {
    expect(open).toEqual([]);
  });

  it('finds all that is accepted: no exception outlives its cause', () => {
    expect(all.accepted.length).toBeGreaterThan(5);
    expect(all.used).toEqual(all.accepted);
  });
});
