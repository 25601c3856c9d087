import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from './cache.ts';

/** A mail as it was sent. */
export interface Mail {
  id: string;
  /** When it was sent, ms since the epoch. */
  at: number;
  from: string;
  /** All addresses, joined by commas. */
  to: string;
  subject: string;
  /** Empty when the mail has only the other form. */
  text: string;
  html: string;
  headers: Record<string, string>;
  /** What SES would say with every event of the mail. */
  tags: Record<string, string>;
}

/** The mails of this machine, which go nowhere: one file each, there whole or not at all. */
export interface Outbox {
  /** Puts a mail into it and returns its id. */
  add(mail: Omit<Mail, 'id' | 'at'>): Promise<string>;
  /** The latest mails, newest first. */
  latest(): Promise<Mail[]>;
  find(id: string): Promise<Mail | undefined>;
  /** Removes the mails about the asks of a run. */
  removeOf(runId: string): Promise<void>;
}

const ENDING = '.json';
/** Older mails are found by their id alone. */
const MAX_SHOWN = 200;

/** Opens the outbox in a folder. Only this user may read its files: links of mails let in whoever has them. */
export function openOutbox(folder: string): Outbox {
  mkdirSync(folder, { recursive: true });
  const read = async (name: string): Promise<Mail> => JSON.parse(await readFile(join(folder, name), 'utf8'));
  const names = async () => (await readdir(folder)).filter((name) => name.endsWith(ENDING)).toSorted();
  return {
    async add(mail) {
      const [id, at] = [randomUUID(), new Date()];
      const name = `${at.toISOString().replaceAll(':', '-')}-${id}${ENDING}`;
      await writeWhole(join(folder, name), JSON.stringify({ id, at: at.getTime(), ...mail }, null, 2), 'secret');
      return id;
    },
    latest: async () => Promise.all((await names()).slice(-MAX_SHOWN).reverse().map(read)),
    async find(id) {
      const name = (await names()).find((each) => each.endsWith(`Z-${id}${ENDING}`));
      return name === undefined ? undefined : read(name);
    },
    async removeOf(runId) {
      for (const name of await names()) {
        const { tags } = await read(name);
        if (isAbout(tags, runId)) await rm(join(folder, name), { force: true });
      }
    },
  };
}

const isAbout = ({ ask = '' }: Mail['tags'], runId: string): boolean => ask.startsWith(`${runId}-`);
