import { ErasedError } from '../../shared/errors.ts';
import type { Meta } from '../../shared/meta.ts';
import type { Answer, Ask, RunRecord } from '../../shared/record.ts';
import { isAnswered, type Standing, standings } from '../../shared/standing.ts';
import { parseAskId } from '../../shared/tables.ts';
import { recordsFrom } from './log-store.ts';
import { readMeta } from './meta-store.ts';

/** An ask as it stands now. */
export interface AskNow {
  readonly ask: Ask;
  readonly answers: readonly Answer[];
  readonly standing: readonly Standing[];
  /** Whether it waits for an answer: it is not answered, and the run has not gone on. */
  readonly open: boolean;
}

/** Records that are read at once: more than most asks get answers. */
const PAGE = 100;

/** Reads an ask and what was said to it, however long the log before it is. Returns undefined when no ask is there. */
export async function readAsk(runId: string, seq: number): Promise<AskNow | undefined> {
  const [ask, ...after] = await recordsFrom(runId, seq, PAGE);
  if (ask?.type !== 'ask') return undefined;
  for (let read = after.length + 1; read >= PAGE && after.every((record) => isAnswerTo(ask, record)); ) {
    const more = await recordsFrom(runId, seq + after.length + 1, PAGE);
    after.push(...more);
    read = more.length;
  }
  const other = after.findIndex((record) => !isAnswerTo(ask, record));
  const answers = (other < 0 ? after : after.slice(0, other)) as Answer[];
  const standing = standings(ask, answers);
  return { ask, answers, standing, open: other < 0 && !isAnswered(standing) };
}

const isAnswerTo = ({ seq }: Ask, record: RunRecord): boolean => record.type === 'answer' && record.ask === seq;

function unlessErased(error: unknown): undefined {
  if (!(error instanceof ErasedError)) throw error;
}

/** Finds the ask of a public id, with META of its run. */
export async function findAsk(id: string): Promise<(AskNow & { readonly meta: Meta }) | undefined> {
  const at = parseAskId(id);
  if (!at) return undefined;
  const [meta, found] = await Promise.all([readMeta(at.runId), readAsk(at.runId, at.seq).catch(unlessErased)]);
  return meta && meta.status !== 'erased' && found ? { meta, ...found } : undefined;
}
