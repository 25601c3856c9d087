import { open, rename } from 'node:fs/promises';
import type { Command } from 'commander';
import { EXPORT_VERSION, MAX_LINE_CHARACTERS, PART_BYTES } from '../../shared/export.ts';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { checkFile, lineHash, linesOf } from '../export-file.ts';
import { EXIT, printJson, printLines, UsageError } from '../output.ts';
import { actor, findRun, type Session } from '../session.ts';

/** Adds `export` and `import`. */
export function addExport(program: Command, context: Context): void {
  program
    .command('export')
    .description('write a run as one file of JSON lines, whole; secrets stay masked')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .option('--file <file>', 'where to write it (default: standard output)')
    .action(
      action<[string], { readonly file?: string }>(context, async (session, { file }, text) => {
        await writeRun(session, await findRun(session, text), file);
        return EXIT.ok;
      }),
    );
  program
    .command('import')
    .description('read an exported run back, to be looked at: nothing of it goes on')
    .argument('<file>', 'what export wrote')
    .option('--by <name>', 'who does it (default: your account)')
    .action(
      action<[string], { readonly by?: string }>(context, async (session, { by = actor() }, file) => {
        const { runId } = await checkFile(file);
        const run = await sendRun(session, runId, file, by);
        if (session.json) printJson(session.terminal, { run });
        else printLines(session.terminal, [`${runId} imported; see it with: npx holdfast show ${runId}`]);
        return EXIT.ok;
      }),
    );
}

async function writeRun({ client, terminal }: Session, runId: string, file: string | undefined): Promise<void> {
  // What cannot be exported is found out before anything is written.
  let piece = await client().exportPiece(runId, { at: 'meta', from: 0 });
  const target = file === undefined ? undefined : await openTarget(file);
  const write = (text: string) => (target ? target.write(text) : terminal.out(text));
  const hash = lineHash();
  const header = { kind: 'holdfast-export', version: EXPORT_VERSION, runId, exportedAt: Date.now(), service: await client().address() };
  await write(`${JSON.stringify(header)}\n`);
  for (;;) {
    hash.add(piece.text);
    await write(piece.text);
    if (!piece.next) break;
    piece = await client().exportPiece(runId, piece.next);
  }
  await write(`${hash.trailer()}\n`);
  await target?.close();
}

/** Opens a file that is written beside its name until it is whole: an earlier one of that name stays until then. */
async function openTarget(file: string) {
  const part = `${file}.part`;
  const failed = (error: NodeJS.ErrnoException) => {
    throw new UsageError(`Cannot write "${oneLine(file, 300)}": ${error.code ?? error.message}`);
  };
  const handle = await open(part, 'w', 0o600).catch(failed);
  return {
    write: async (text: string) => void (await handle.writeFile(text).catch(failed)),
    close: () =>
      handle
        .close()
        .then(() => rename(part, file))
        .catch(failed),
  };
}

/** Lines of one request: it has to be answered in time. */
const MAX_BATCH = 500;

async function sendRun({ client }: Session, runId: string, file: string, by: string) {
  let batch: string[] = [];
  let characters = 0;
  const flush = async () => {
    if (batch.length > 0) await client().importLines(runId, { by, lines: batch });
    [batch, characters] = [[], 0];
  };
  let first = true;
  let held: string | undefined;
  for await (const line of linesOf(file)) {
    const [now, wasFirst] = [held, first];
    first = false;
    if (wasFirst) continue;
    held = line;
    if (now === undefined) continue;
    if (characters + now.length > MAX_LINE_CHARACTERS || batch.length >= MAX_BATCH) await flush();
    if (now.length > MAX_LINE_CHARACTERS) await sendParts(client(), runId, now, by);
    else batch.push(now);
    characters += now.length;
  }
  await flush();
  return (await client().importLines(runId, { by, lines: [], whole: true })).run;
}

/** The last line, which is held back, is the file's own. */
async function sendParts(client: ReturnType<Session['client']>, runId: string, line: string, by: string): Promise<void> {
  const bytes = Buffer.from(line);
  const parts = [];
  for (let at = 0; at < bytes.length; at += PART_BYTES)
    parts.push((await client.importPart(runId, bytes.subarray(at, at + PART_BYTES).toString('base64'))).part);
  await client.importLines(runId, { by, parts });
}
