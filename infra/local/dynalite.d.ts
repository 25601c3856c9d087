declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    path?: string;
    createTableMs?: number;
    updateTableMs?: number;
    deleteTableMs?: number;
  }
  /** The database as an HTTP server that does not listen yet. Closing the server closes the database. */
  export default function dynalite(options?: DynaliteOptions): Server;
}
