import type { Command } from 'commander';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { EXIT, printJson, printLines } from '../output.ts';
import { dayText } from '../status.ts';

/** Adds `agents`: who can be run. */
export function addAgents(program: Command, context: Context): void {
  program
    .command('agents')
    .description('list the agents, with their tools and the effect class of each')
    .action(
      action<[]>(context, async (session) => {
        const { agents } = await session.client().agents();
        if (session.json) printJson(session.terminal, { agents });
        const lines = agents.flatMap(({ name, description, model, tools, today }) => [
          `${session.paint('bold', oneLine(name, 40))}  ${oneLine(description, 160)} ${session.paint('dim', `(${oneLine(model, 80)})`)}`,
          ...(today ? [`  ${dayText(today)}`] : []),
          ...tools.map((tool) => `  ${oneLine(tool.name, 64).padEnd(24)} ${tool.effect.padEnd(11)} ${oneLine(tool.description, 120)}`),
        ]);
        if (!session.json) printLines(session.terminal, lines.length > 0 ? lines : ['no agents']);
        return EXIT.ok;
      }),
    );
}
