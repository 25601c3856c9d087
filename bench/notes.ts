/** What the table's rows mean, one sentence a line. */
export const NOTES = [
  'Times are medians: of a turn over spans of ten turns within the tenth, of kills and starts over five.',
  "Written: of a PutItem all names and values of its item, of an UpdateItem the names and values that it sets; by DynamoDB's rules for sizes.",
  'Store operations are counted between functions and tables; the figure is the most that any turn made.',
  'A worker is killed in mid-call: the state machine pauses 1 s before it tries again. After a kill of all, the host is started again at once.',
];

/** What the peer's column means. */
export const peerNote = (turns: number): string =>
  `LangGraph.js 1.7.3, SqliteSaver 1.0.4, durability 'sync', ${turns} turns, model and tool in its process, the same texts. Written: its\n` +
  'checkpoints, their metadata and writes, without keys. It keeps no effect ledger, and commits of SQLite in WAL mode are not synced.';
