import { App } from 'aws-cdk-lib';
import { readSettings, SettingsError } from './settings.ts';
import { HoldfastStack } from './stack.ts';

try {
  const app = new App();
  const settings = readSettings(app);
  new HoldfastStack(app, `Holdfast-${settings.stage}`, settings);
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
