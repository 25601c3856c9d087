import * as z from 'zod';
import { keyOf } from '../../shared/effect.ts';
import { type LineageEffect, lineageLedger, meetings } from '../../shared/lineage.ts';
import { committedEqual, type Log, placeIn } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import { type Call, type Reply, SCHEMA_VERSION } from '../../shared/record.ts';
import { effectKey, kinKey, parseEffectKey, runKey } from '../../shared/tables.ts';
import { ancestorsOf } from './ancestors.ts';
import { ABSENT, get, putIf } from './dynamo.ts';
import { readItem } from './item.ts';
import { addressOf, readEffect } from './ledger.ts';

/** What a run with relatives knows of their effects when it answers the calls of a reply. */
export interface Kin {
  /** The effects that calls meet, by the index of the call. */
  readonly met: ReadonlyMap<number, LineageEffect>;
  /** Up to which epoch the invocations of each ancestor are known to be over. */
  readonly overThrough: ReadonlyMap<string, number>;
}

/** A run without parent and children has no kin, and reads nothing. */
export const NO_KIN: Kin = { met: new Map(), overThrough: new Map() };

interface Situation {
  readonly meta: Meta;
  readonly log: Log;
  /** The open reply, with its calls as they run. */
  readonly reply: Reply;
}

/**
 * Finds the effects of the lineage that the calls of a reply meet: those of its ancestors, and those that other runs of the
 * lineage, live ones too, have claimed a place for. Reads nothing where no call writes.
 */
export async function kinOf(at: Situation): Promise<Kin> {
  const writes = at.reply.calls.filter(isWrite);
  if (writes.length === 0) return NO_KIN;
  const ancestors = await ancestorsOf(at.meta);
  const listed = lineageLedger(
    at.log,
    ancestors.map(({ effects }) => effects),
  );
  const hashes = new Set(writes.map(({ inputHash }) => inputHash));
  const ledger = (await Promise.all(listed.filter(({ inputHash }) => hashes.has(inputHash)).map(asItStands))).flat();
  const met = meetings(at.log, at.reply, ledger);
  for (const call of writes) {
    const claimed = met.has(call.index) ? undefined : await claimPlace(at, call);
    if (claimed) met.set(call.index, claimed);
  }
  return { met, overThrough: new Map(ancestors.map(({ meta }) => [meta.runId, meta.overThrough])) };
}

const isWrite = (call: Call): boolean => call.class !== 'read' && call.invalid === undefined;

/** An open effect may have been settled since, by whatever run: its entry knows. */
async function asItStands(effect: LineageEffect): Promise<LineageEffect[]> {
  if (effect.state === 'done') return [effect];
  const entry = await readEffect(addressOf(effect.key, effect.tool));
  if (entry?.state === 'failed') return [];
  return [entry?.state === 'done' ? { ...effect, state: 'done', ok: entry.ok ?? false, output: entry.output ?? null } : effect];
}

const place = z.object({ v: z.literal(SCHEMA_VERSION), key: z.string() });

/** Runs that branched off from one another make the n-th of equal effects under one key: whoever comes first gives it its own. */
async function claimPlace({ meta, log, reply }: Situation, call: Call): Promise<LineageEffect | undefined> {
  const key = effectKey(meta.runId, reply.seq, call.index);
  if (keyOf(meta.runId, log, reply, call) !== key) return undefined;
  const pk = runKey(meta.parent?.root ?? meta.runId);
  for (let n = committedEqual(log, reply, call) + placeIn(reply, call); ; n++) {
    const sk = kinKey(call.inputHash, n);
    if (await putIf({ pk, sk, v: SCHEMA_VERSION, key }, ABSENT)) return undefined;
    const { key: holder } = await readItem(place, (await get({ pk, sk })) ?? {});
    if (holder === key) return undefined;
    const [met] = await asItStands(heldBy(holder, call));
    if (met) return met;
  }
}

function heldBy(key: string, { tool, input, inputHash }: Call): LineageEffect {
  const { runId = '', seq = 0, index = 0 } = parseEffectKey(key) ?? {};
  return { runId, seq, index, key, tool, input, inputHash, state: 'open', ok: false, output: null };
}
