import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { classesStory } from './classes-story.ts';
import { startProvider } from './provider.ts';
import { refundStory } from './refund-story.ts';
import { setStage } from './stage.ts';

/** The whole story, unattended: real processes, real kills, and a provider whose ledger decides. */
async function main(): Promise<number> {
  const begun = Date.now();
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
  const provider = await startProvider(join(dataDir, 'payment-provider'));
  const stage = await setStage(dataDir, provider).catch((error: unknown) => {
    provider.stop();
    throw error;
  });
  try {
    console.log(`Holdfast is process ${stage.host().pid}; the payment provider is process ${provider.pid}, with a ledger of its own.`);
    await refundStory(stage);
    await classesStory(stage);
  } finally {
    await stage.host().kill();
    provider.stop();
  }
  const seconds = ((Date.now() - begun) / 1000).toFixed(0);
  console.log(
    stage.failures.length === 0
      ? `\nAll as promised, in ${seconds} s.`
      : `\n${stage.failures.length} promises broken; the data is kept in ${dataDir}`,
  );
  if (stage.failures.length === 0) rmSync(dataDir, { recursive: true, force: true });
  return stage.failures.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
