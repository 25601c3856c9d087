import { runCampaign } from './campaign.ts';
import { readOptions } from './options.ts';
import { faultsIn, isSound, linesOf } from './report.ts';

/**
 * Real work under kill -9: agents do the tasks of a shop while the processes of the service, and the service itself, are
 * killed at random moments. `--data FOLDER [--kills 500] [--tasks N] [--seed S] [--mode keys|find|blind|all] [--restarts]`
 */
const options = readOptions(process.argv.slice(2), process.env);
console.log(`Real work under kill -9: ${options.kills} kills, seed ${options.seed}`);
const findings = await runCampaign(options, (played, ended) => {
  for (const fault of faultsIn(played)) console.log(`FAULT ${fault}`);
  if (ended % 50 === 0) console.log(`${ended} runs have ended`);
});
for (const line of linesOf(findings, options)) console.log(line);
if (!isSound(findings)) process.exitCode = 1;
